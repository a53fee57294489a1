import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../Button.tsx'
import { WholeRow } from '../Choices.tsx'
import { TextField } from '../Field.tsx'
import styles from './protection.module.css'
import { mostTargets, textsOfProtection } from './texts.ts'
import type { Protection } from './words.ts'

type Problems = (field: string) => string | undefined

/** The fields of a protection, for a group of fields. `protectionOf` reads what they have. */
export function ProtectionFields({
  protection,
  problemOf,
}: {
  protection: Protection | null
  problemOf: Problems
}) {
  const texts = textsOfProtection(protection)
  /** `of`: the whole thing that the service may name instead of this field. */
  const field = (name: string, of = name) => ({
    name: `protection.${name}`,
    defaultValue: texts[`protection.${name}`] ?? '',
    problem: problemOf(`protection.${name}`) ?? problemOf(`protection.${of}`),
    maxLength: 64,
    autoComplete: 'off',
  })
  return (
    <>
      <TextField
        {...field('stop_loss')}
        label="Stop"
        placeholder="None"
        hint="A price such as 50000, or a distance from the entry price such as 2%."
      />
      <TextField
        {...field('exit_after_seconds')}
        label="Time limit"
        inputMode="numeric"
        placeholder="None"
        hint="In seconds. A position that is this old is closed, whatever its price is."
      />
      <Targets targets={protection?.take_profit ?? []} problemOf={problemOf} />
      <TextField
        {...field('trailing.by', 'trailing')}
        label="Trailing stop"
        placeholder="None"
        hint="How far it stays from the best price, such as 1%."
      />
      <TextField
        {...field('trailing.from')}
        label="It follows from"
        placeholder="The entry price"
        hint="The profit or the price at which it begins, such as 4%."
      />
      <TextField
        {...field('trailing.step')}
        label="In steps of at least"
        placeholder="Each better price"
        hint="A distance such as 0.5%."
      />
      <TextField
        {...field('break_even.after', 'break_even')}
        label="Break-even after"
        placeholder="None"
        hint="Once the price has reached it, the stop moves to the entry price. Such as 1R."
      />
      <TextField
        {...field('break_even.plus')}
        label="And so far beyond it"
        placeholder="Not beyond"
        hint="A distance such as 0.1%, for the fees."
      />
      <WholeRow>
        <p className={styles.note}>
          A distance in R is a multiple of that to the stop: with a stop of 2%, 2R is 4%. Some exchanges keep
          these levels as orders. The service watches all others, which do not act while this machine is off.
          Each position says who keeps its levels.
        </p>
      </WholeRow>
    </>
  )
}

/** One line for each target, the nearest first. */
function Targets({ targets, problemOf }: { targets: Protection['take_profit']; problemOf: Problems }) {
  const id = useId()
  const [rows, setRows] = useState(() =>
    (targets.length === 0 ? [{ at: '', part: '' }] : targets).map((target, key) => ({ ...target, key })),
  )
  const next = Math.max(...rows.map(({ key }) => key)) + 1
  const problem = problemOf('protection.take_profit')
  return (
    <WholeRow>
      <fieldset className={styles.targets} aria-describedby={`${id}-hint`}>
        <legend>Targets</legend>
        <p id={`${id}-hint`} className={styles.hint}>
          The nearest first: a price, a profit such as 4%, or 2R. Of several, each closes its part of the
          position, such as 0.5.
        </p>
        {rows.map(({ key, at, part }, index) => {
          const name = `protection.take_profit[${index}]`
          return (
            <div key={key} className={styles.target}>
              <TextField
                label={`Target ${index + 1}`}
                name={`${name}.at`}
                defaultValue={at}
                placeholder="None"
                maxLength={64}
                autoComplete="off"
                problem={problemOf(`${name}.at`) ?? (index === 0 ? problem : undefined)}
              />
              <TextField
                label={`Part ${index + 1}`}
                name={`${name}.part`}
                defaultValue={part}
                placeholder={rows.length === 1 ? 'All of it' : ''}
                inputMode="decimal"
                maxLength={64}
                autoComplete="off"
                problem={problemOf(`${name}.part`)}
              />
              {rows.length > 1 && (
                <Button
                  isSquare
                  look="quiet"
                  aria-label={`Remove target ${index + 1}`}
                  title={`Remove target ${index + 1}`}
                  onClick={() => setRows(rows.filter((row) => row.key !== key))}
                >
                  <X aria-hidden />
                </Button>
              )}
            </div>
          )
        })}
        <div>
          <Button
            onClick={() => setRows([...rows, { key: next, at: '', part: '' }])}
            unavailable={rows.length < mostTargets ? null : `At most ${mostTargets} targets.`}
          >
            Add a target
          </Button>
        </div>
      </fieldset>
    </WholeRow>
  )
}
