import { useContext, useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { type Decimal, formatNumber, minus, roundPrice } from '../base/numbers.ts'
import { beginningOf, piecesOf, plainText } from '../base/text.ts'
import { describeMoment, formatDistance, formatMoment, type Moment, toMs } from '../base/times.ts'
import { useNow } from '../base/use-now.ts'
import { type ColumnRoom, paddingFor, roomForUnits } from './alignment.ts'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { NumberColumn } from './columns.ts'
import styles from './values.module.css'

/**
 * A number with its unit. In a column of numbers of `Table` and `Rows`, it aligns at the decimal point. `isResult`: a
 * profit or loss, with sign and colour.
 */
export function Value({
  value,
  digits,
  unit,
  isResult = false,
}: {
  value: Decimal | null | undefined
  digits?: number
  unit?: string
  isResult?: boolean
}) {
  const column = useContext(NumberColumn)
  const shown = {
    number: formatNumber(value, { isSigned: isResult, ...(digits === undefined ? {} : { digits }) }),
    unit: unit === undefined || (value ?? null) === null ? undefined : plainText(unit),
  }
  // As it is shown: what is rounded to nothing is neither.
  const [isProfit, isLoss] = [
    isResult && shown.number.includes('+'),
    isResult && shown.number.includes(minus),
  ]
  return (
    <span className={classes(styles.number, isProfit && styles.profit, isLoss && styles.loss)}>
      {column === null ? <Plain {...shown} /> : <InColumn {...shown} column={column} />}
    </span>
  )
}

type Shown = { number: string; unit: string | undefined }

function Plain({ number, unit }: Shown) {
  return (
    <>
      {number}
      {unit !== undefined && <span className={styles.unit}> {unit}</span>}
    </>
  )
}

/** What is missing to the longest number and unit of the column is there, but nobody sees, hears or copies it. */
function InColumn({ number, unit, column }: Shown & { column: ColumnRoom }) {
  const { digits, units } = useSyncExternalStore(column.subscribe, column.read)
  // Before the browser draws: no number is ever seen elsewhere.
  useLayoutEffect(() => column.add(number, unit), [column, number, unit])
  return (
    <>
      <span
        className={styles.padded}
        style={column.isFixed ? { maxWidth: `calc(100% - ${roomForUnits(units)}ch)` } : undefined}
        data-padding={paddingFor(number, digits)}
      >
        {number}
      </span>
      {units !== '' && (
        <>
          {' '}
          <span className={classes(styles.unit, styles.units)} data-units={units}>
            {unit}
          </span>
        </>
      )}
    </>
  )
}

/** An average of prices, without digits that no price of its market has. */
export function Price({ value }: { value: string | null }) {
  return <Value value={value === null ? null : roundPrice(value)} />
}

/** A moment, short; exact for those who hover. */
export function Time({ at }: { at: Moment | null }) {
  const now = useNow(60_000)
  if (at === null) return <span>–</span>
  return (
    <time className={styles.time} dateTime={isoOf(at)} title={describeMoment(at)}>
      {formatMoment(at, now)}
    </time>
  )
}

/** How long ago, or how soon. It counts along. */
export function Distance({ at }: { at: Moment }) {
  const now = useNow(1000)
  return (
    <time className={styles.time} dateTime={isoOf(at)} title={describeMoment(at)}>
      {formatDistance(at, now)}
    </time>
  )
}

function isoOf(at: Moment): string | undefined {
  const ms = toMs(at)
  return Number.isNaN(ms) ? undefined : new Date(ms).toISOString()
}

/** Longer texts are cut; a button shows more. */
const shownAtFirst = 4000

/** Text of other people: never markup, with deceptive characters made visible, and cut when it is very long. */
export function Foreign({ text, keepLines = false }: { text: string; keepLines?: boolean }) {
  const [most, setMost] = useState(shownAtFirst)
  const { text: beginning, left } = beginningOf(text, most)
  return (
    <bdi className={classes(styles.foreign, keepLines && styles.lines)}>
      {piecesOf(beginning).map(({ text, isEscaped }, index) =>
        isEscaped ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a text have no other identity
          <span key={index} className={styles.escaped}>
            {text}
          </span>
        ) : (
          text
        ),
      )}
      {left > 0 && (
        <Button look="quiet" onClick={() => setMost(most * 8)}>
          {formatNumber(left)} more characters
        </Button>
      )}
    </bdi>
  )
}
