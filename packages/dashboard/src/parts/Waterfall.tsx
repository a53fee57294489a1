import { useState } from 'react'
import { formatNumber } from '../base/numbers.ts'
import { formatDuration } from '../base/times.ts'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { Foreign, Time } from './Values.tsx'
import styles from './waterfall.module.css'
import { longestOf, type Step, type WaterfallRow, waterfallOf } from './waterfall.ts'

/** A trace may have two thousand steps. Most people want the first of them, or the end. */
const shownAtFirst = 150

/** Everything that happened, step by step, each with its time and what took long. */
export function Waterfall({ steps }: { steps: readonly Step[] }) {
  const [most, setMost] = useState(shownAtFirst)
  const { rows, wholeMs } = waterfallOf(steps)
  const longest = longestOf(steps, wholeMs)
  const left = rows.length - most
  return (
    <div className={styles.scroller}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Step</th>
            <th scope="col">What happened</th>
            <th scope="col" className={styles.number}>
              After
            </th>
            <th scope="col" className={styles.number}>
              Took
            </th>
            <th scope="col" className={styles.axis}>
              <span className={styles.ends}>
                <span>0</span>
                <span>{formatDuration(wholeMs)}</span>
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a trace have their place as identity
            <Row key={index} row={row} isLongest={row.step === longest} />
          ))}
        </tbody>
      </table>
      {left > 0 && (
        <Button look="quiet" onClick={() => setMost(rows.length)}>
          {formatNumber(left)} more steps
        </Button>
      )}
    </div>
  )
}

function Row({ row: { step, bar, lane }, isLongest }: { row: WaterfallRow; isLongest: boolean }) {
  return (
    <tr className={classes(styles[lane], step.is_usual && styles.usual)}>
      <th scope="row">{step.kind}</th>
      <td className={styles.text}>
        <Foreign text={step.text} keepLines />
        {step.reason !== null && (
          <div className={classes(styles.reason, step.is_usual && styles.usual)}>
            <Foreign text={step.reason} keepLines />
          </div>
        )}
      </td>
      <td className={styles.number} title={step.at ?? undefined}>
        {step.offset_ms === null ? <Time at={step.at} /> : formatDuration(step.offset_ms)}
      </td>
      <td className={classes(styles.number, isLongest && styles.longest)}>
        {step.took_ms === null ? '' : formatDuration(step.took_ms)}
      </td>
      <td className={styles.axis}>
        {bar !== null && (
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect x={Math.min(bar.start, 99.4)} width={Math.max(bar.width, 0.6)} y="0" height="8" rx="0.4" />
          </svg>
        )}
      </td>
    </tr>
  )
}
