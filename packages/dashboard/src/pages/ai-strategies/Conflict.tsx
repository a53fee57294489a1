import { Button } from '../../parts/Button.tsx'
import { Code } from '../../parts/Code.tsx'
import { Notice } from '../../parts/Notice.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './ai.module.css'
import { type Fields, fieldWords } from './fields.ts'

/** Shows what others saved while somebody was typing. Nothing is overwritten that was not seen. */
export function Conflict({
  mine,
  theirs,
  conflict,
  onLoadTheirs,
  onKeepMine,
}: {
  mine: Fields
  theirs: Fields
  conflict: { theirs: readonly (keyof Fields)[]; both: readonly (keyof Fields)[] }
  onLoadTheirs: () => void
  onKeepMine: () => void
}) {
  return (
    <Notice tone="warning">
      <div className={styles.conflict}>
        <p>It was saved from elsewhere after you began to change it. What is saved now:</p>
        <dl>
          {conflict.theirs.map((name) => (
            <div key={name}>
              <dt>{fieldWords[name]}</dt>
              <dd>
                {name === 'prompt' ? (
                  <Code text={theirs.prompt} name="Saved prompt" />
                ) : (
                  <Foreign text={valueText(theirs[name])} />
                )}
                {conflict.both.includes(name) && name !== 'prompt' && (
                  <span className={styles.soft}>
                    {' '}
                    (yours: <Foreign text={valueText(mine[name])} />)
                  </span>
                )}
                {conflict.both.includes(name) && name === 'prompt' && (
                  <span className={styles.soft}>You have changed the prompt too.</span>
                )}
              </dd>
            </div>
          ))}
        </dl>
        <div className={styles.buttons}>
          <Button onClick={onLoadTheirs}>Load theirs and drop my changes</Button>
          <Button onClick={onKeepMine}>Keep my changes on top of theirs</Button>
        </div>
      </div>
    </Notice>
  )
}

function valueText(value: Fields[keyof Fields]): string {
  if (value === null || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.join(', ') || 'none' : String(value)
}
