import { useMemo } from 'react'
import { count, formatNumber } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { Foreign, Time } from '../Values.tsx'
import styles from './chart.module.css'
import type { JoinedCandle } from './join.ts'
import { type Candle, candleAt, digitsOf, type Mark, textsByCandle } from './model.ts'

/** With more, the line would be longer than anybody reads. */
const mostTexts = 4

/** The figures of what is drawn under the pointer and what happened in it; else the figures of the last candle. */
export function Legend({
  candles,
  marks,
  pointed,
}: {
  candles: readonly Candle[]
  marks: readonly Mark[]
  pointed: JoinedCandle | null
}) {
  const candle = pointed ?? candles.at(-1)!
  const digits = digitsOf(candles)
  const { length, 0: first } = candles
  // The last candle changes all the time, but the times of all of them do not.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the texts depend on the times only
  const texts = useMemo(() => textsByCandle(candles, marks), [length, first?.time, marks])
  const here = pointed === null ? [] : textsOf(pointed, candles, texts)
  const figures = [
    ['O', candle.open],
    ['H', candle.high],
    ['L', candle.low],
    ['C', candle.last],
  ] as const
  return (
    <div className={styles.legend}>
      <Time at={candle.time} />
      {pointed !== null && pointed.count > 1 && (
        <span>
          to <Time at={pointed.end} />, {count(pointed.count, 'candle')}
        </span>
      )}
      {figures.map(([name, value]) => (
        <span key={name}>
          {name} <b>{formatNumber(value, { digits })}</b>
        </span>
      ))}
      <span className={styles.wide}>
        Volume <b>{formatNumber(candle.volume, { digits: 2 })}</b>
      </span>
      {here.length > 0 && (
        <span className={styles.texts} title={plainText(here.join('\n'))}>
          <Foreign text={here.slice(0, mostTexts).join(' · ')} />
          {here.length > mostTexts && `, and ${formatNumber(here.length - mostTexts)} more`}
        </span>
      )}
    </div>
  )
}

function textsOf(
  { time, count }: JoinedCandle,
  candles: readonly Candle[],
  texts: ReadonlyMap<number, readonly string[]>,
): string[] {
  const first = candleAt(candles, time)
  return Array.from({ length: count }, (_, index) => texts.get(first + index) ?? []).flat()
}
