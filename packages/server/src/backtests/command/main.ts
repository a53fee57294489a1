/** `npm run backtest -- CODE.js CANDLES.csv`: what the code would have done on these candles, without a service. */
import { runCommand } from './command.ts'
import { UsageError } from './usage-error.ts'

try {
  console.log(await runCommand(process.argv.slice(2)))
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = error instanceof UsageError ? 2 : 1
}
