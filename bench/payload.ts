/** A candle as a sender may post it: 300 bytes, with a price that depends on `index`. */
export function candlePayload(index: number): string {
  const candle = {
    time: 1_704_067_200_000 + index * 60_000,
    open: 100,
    high: 102.5,
    low: 97.5,
    last: 100 + 2 * Math.sin(index),
    volume: 1234.5,
    note: '',
  }
  const bytes = JSON.stringify(candle).length
  return JSON.stringify({ ...candle, note: 'x'.repeat(payloadBytes - bytes) })
}

export const payloadBytes = 300
