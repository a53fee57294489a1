/**
 * `npm run fuzz [-- --seconds 600] [--target cron ...] [--seed 1] [--keep] [--list]`: looks for inputs that break a
 * promise of the targets, and saves each as a test. See docs/fuzzing.md.
 */
import { runFuzzer } from './command.ts'

process.exitCode = await runFuzzer(process.argv.slice(2))
