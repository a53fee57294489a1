/**
 * Asks for the most candles again and again, eight times at once.
 *
 * Holds: a run may call it twenty times. The parent counts.
 *
 * @ends completed
 * @log 20 answered, 180 refused
 */
let [answered, refused] = [0, 0]
const ask = async () => {
  try {
    await $.candles('btcusdt', '1m', 1000)
    answered += 1
  } catch {
    refused += 1
  }
}
for (let round = 0; round < 25; round += 1) await Promise.all(Array.from({ length: 8 }, ask))
$.log(`${answered} answered, ${refused} refused`)
