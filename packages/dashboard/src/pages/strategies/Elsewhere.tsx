import { useOnce } from '../../data/use-once.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { Failure, Notice } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { fieldTexts } from './draft.ts'
import styles from './strategies.module.css'
import type { Strategy } from './strategies.ts'
import type { Editing } from './use-draft.ts'

/** What someone else has saved while this form was open, and the choice between both. */
export function Elsewhere({ editing }: { editing: Editing }) {
  const { theirs, base, load, save } = editing
  const { run, isBusy, error } = useOnce(() => save(theirs ?? undefined))
  if (theirs === null) return null
  return (
    <Notice tone="warning">
      <div className={styles.preview}>
        <p>These settings were saved elsewhere while you edited them:</p>
        <ul className={styles.points}>
          {differences(base, theirs).map(({ field, from, to }) => (
            <li key={field}>
              {fieldTexts[field] ?? field}
              {field !== 'code' && (
                <>
                  : <Foreign text={from} /> became <Foreign text={to} />
                </>
              )}
            </li>
          ))}
        </ul>
        {error !== null && <Failure error={error} isChange />}
        <Buttons>
          <Button onClick={load}>Load theirs</Button>
          <Button isBusy={isBusy} onClick={run}>
            Keep mine and save
          </Button>
        </Buttons>
      </div>
    </Notice>
  )
}

/** The settings in which two states of a strategy differ. */
function differences(from: Strategy, to: Strategy): { field: string; from: string; to: string }[] {
  return Object.keys(fieldTexts).flatMap((field) => {
    const [before, after] = [from, to].map((each) => textOf((each as Record<string, unknown>)[field]))
    return before === after ? [] : [{ field, from: before!, to: after! }]
  })
}

function textOf(value: unknown): string {
  return value === null || value === undefined || value === '' ? 'nothing' : String(value)
}
