import { Link } from '@tanstack/react-router'
import type { Run } from '@tickwright/client'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { classes } from '../../parts/classes.ts'
import { Section } from '../../parts/Page.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { excerptOf } from './excerpt.ts'
import styles from './runs.module.css'

type CodeKind = 'code' | 'reaction'

function versionQuery(kind: CodeKind, id: number, version: number) {
  const operations = kind === 'code' ? client.strategies.code : client.reactions.code
  return {
    // A version never changes, so no event has to read it again.
    queryKey: ['code-of-version', kind, id, version],
    queryFn: () => operations.version(id, version),
    staleTime: Number.POSITIVE_INFINITY,
  }
}

/** Where the error of a run is, in the code of the version that it executed. Without a line or that code: nothing. */
export function ErrorInCode({ kind, run }: { kind: CodeKind; run: Run }) {
  const { strategy_id: id, version, error } = run
  const line = error?.line ?? null
  const isKnown = version !== null && line !== null
  const { data } = useQuery({ ...versionQuery(kind, id, version ?? 0), enabled: isKnown })
  const code = data?.settings.code
  const lines = code === undefined || line === null ? [] : excerptOf(code, line)
  if (error === null || lines.length === 0) return null
  return (
    <Section title={`The error in version ${version}`}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={styles.code} tabIndex={0} aria-label={`Code around line ${line}`}>
        {lines.map(({ number, text, isError }) => (
          <div key={number} className={classes(styles.line, isError && styles.wrong)}>
            <span className={styles.number}>{number}</span>
            <code>
              <Foreign text={text} keepLines />
              {isError && (
                <strong className={styles.message}>
                  <Foreign text={`${error.name}: ${error.message}`} keepLines />
                </strong>
              )}
            </code>
          </div>
        ))}
      </section>
      <p>
        <Link to="/strategies/$kind/$id" params={{ kind, id: String(id) }} search={{ tab: 'versions' }}>
          All versions of the code
        </Link>
      </p>
    </Section>
  )
}
