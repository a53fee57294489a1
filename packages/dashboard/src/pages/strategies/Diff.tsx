import { useState } from 'react'
import { count } from '../../base/numbers.ts'
import { Button } from '../../parts/Button.tsx'
import { classes } from '../../parts/classes.ts'
import { Table } from '../../parts/Table.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './diff.module.css'
import { type DiffLine, linesOf, sizeOf } from './diff.ts'
import { fieldTexts } from './draft.ts'
import type { Comparison } from './strategies.ts'

/** A page of thousands of lines would be slow, and nobody reads it. */
const shownAtFirst = 500

const marks: Record<DiffLine['kind'], string> = {
  same: ' ',
  added: '+',
  removed: '\u2212',
  gap: '',
  note: '',
}
const words: Partial<Record<DiffLine['kind'], string>> = { added: 'Added: ', removed: 'Removed: ' }

/** What differs between two versions: the code line by line, and the other settings with both values. */
export function Diff({
  comparison: { text, whole, settings },
}: {
  comparison: Pick<Comparison, 'text' | 'whole' | 'settings'>
}) {
  const lines = linesOf(text)
  const { added, removed } = sizeOf(lines)
  const [most, setMost] = useState(shownAtFirst)
  return (
    <>
      {settings.length > 0 && (
        <Table
          label="Settings that differ"
          items={settings}
          idOf={({ field }) => field}
          columns={[
            { name: 'Setting', cell: ({ field }) => fieldTexts[field] ?? field },
            { name: 'Before', cell: ({ from }) => <Foreign text={valueText(from)} /> },
            { name: 'After', cell: ({ to }) => <Foreign text={valueText(to)} /> },
          ]}
        />
      )}
      {lines.length === 0 ? (
        <p>{settings.length === 0 ? 'Both versions are the same.' : 'The code is the same.'}</p>
      ) : (
        <>
          <p>
            Code: {count(added, 'line')} added, {count(removed, 'line')} removed.
            {whole && ' The texts have so little in common that all lines are replaced.'}
          </p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <section className={styles.diff} aria-label="Changes of the code" tabIndex={0}>
            {lines.slice(0, most).map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the lines of a diff have no other identity
              <div key={index} className={classes(styles.line, styles[line.kind])}>
                <span className={styles.number}>{line.from}</span>
                <span className={styles.number}>{line.to}</span>
                <span aria-hidden>{marks[line.kind]}</span>
                <code>
                  {words[line.kind] && <span className={styles.word}>{words[line.kind]}</span>}
                  {line.kind === 'gap' ? '⋯' : <Foreign text={line.text} keepLines />}
                </code>
              </div>
            ))}
          </section>
          {lines.length > most && (
            <div>
              <Button onClick={() => setMost(most * 8)}>{count(lines.length - most, 'more line')}</Button>
            </div>
          )}
        </>
      )}
    </>
  )
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
