import { count } from '../../base/numbers.ts'
import { moneyDigits } from '../../base/symbols.ts'
import { plainText } from '../../base/text.ts'
import { Mode } from '../../parts/Marks.tsx'
import { Distance, Value } from '../../parts/Values.tsx'
import { EquityCurve } from './EquityCurve.tsx'
import styles from './overview.module.css'
import { curveRangeOf } from './ranges.ts'
import type { CurveRange } from './search.ts'
import { type Equities, type EquityFalls, type Fall, keyOf } from './summary.ts'

/** All bots with one kind of money: what they are worth, how far that has fallen, and its curve. */
export function EquityGroup({
  group,
  falls,
  range,
  isTable,
}: {
  group: Equities['groups'][number]
  /** `undefined`: not read yet. */
  falls: EquityFalls | undefined
  range: CurveRange
  isTable: boolean
}) {
  const { mode, demo, bots, unknown_bots, equity, realised_today } = group
  const fall = falls?.groups.find((other) => keyOf(other) === keyOf(group))
  const unit = plainText(group.currency)
  const digits = moneyDigits(group.currency)
  return (
    <div className={styles.group}>
      <div className={styles.figure}>
        <div>
          <Mode mode={mode} demo={demo} /> {bots === 0 ? 'traded by hand' : count(bots, 'bot')}
        </div>
        <div className={styles.big}>
          <Value value={equity} digits={digits} unit={unit} />
        </div>
        <div className={styles.soft}>
          Today <Value value={realised_today} digits={digits} isResult />
          {unknown_bots > 0 && ` · ${count(unknown_bots, 'bot')} without a known equity`}
        </div>
        {fall !== undefined && (
          <Falls
            now={fall.drawdown}
            largest={fall.max_drawdown}
            since={falls!.since}
            words={curveRangeOf(range).words}
            digits={digits}
          />
        )}
      </div>
      {fall !== undefined ? (
        <EquityCurve {...{ group: fall, range, isTable }} />
      ) : (
        falls !== undefined && (
          <p className={styles.soft}>No curve: no bot here has a known start balance in one currency.</p>
        )
      )}
    </div>
  )
}

/** How far the sum of all equities has fallen from its last peak, and the largest fall of the range. */
function Falls({
  now,
  largest,
  since,
  words,
  digits,
}: {
  now: Fall | null
  largest: Fall | null
  since: string
  words: string
  digits: number
}) {
  if (largest === null) return <div className={styles.soft}>No drawdown in {words}</div>
  return (
    <>
      <div className={styles.soft}>
        {now === null ? (
          'No drawdown now'
        ) : (
          <>
            Drawdown now <Amount fall={now} digits={digits} />
            {/* Nobody knows whether there was a higher peak before. */}
            {now.peak_at !== since && (
              <>
                , since <Distance at={now.peak_at} />
              </>
            )}
          </>
        )}
      </div>
      <div className={styles.soft}>
        Largest in {words} <Amount fall={largest} digits={digits} />
      </div>
    </>
  )
}

function Amount({ fall: { amount, percent }, digits }: { fall: Fall; digits: number }) {
  return (
    <>
      <Value value={amount} digits={digits} />
      {percent !== null && (
        <>
          {' '}
          (<Value value={percent} digits={2} unit="%" />)
        </>
      )}
    </>
  )
}
