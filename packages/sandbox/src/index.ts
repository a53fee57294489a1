export { type CandleInterval, endingOf, openingOf, readInterval } from './candle-intervals.ts'
export { type Candle, type CandleRequest, joinCandles, PackedCandles, packCandles } from './candles.ts'
export type { ContainmentLayer, ContainmentLevel } from './containment.ts'
export type { GivenEntry } from './entry.ts'
export { seedAfter } from './executor/series.ts'
export { forbiddenMessage, forbiddenWayOut } from './forbidden-message.ts'
export {
  actionsPerRun,
  actionsPerSecond,
  bodyByteLimit,
  callsPerRun,
  candlesPerCall,
  candleTimeoutMs,
  codeByteLimit,
  httpRequestsPerRun,
  httpTimeoutMs,
  levelLengthLimit,
  logByteLimit,
  runTimeoutMs,
  serviceWaitMs,
  storageByteLimit,
  targetsPerProtection,
} from './limits.ts'
export { isOrderSize, leastOrderSize, mostOrderSize, orderSizeProblem, orderSizeWords } from './order-size.ts'
export { withLowestPriority } from './priority.ts'
export type { GivenLevel, GivenProtection, GivenTarget } from './protection.ts'
export { openSandbox, type Sandbox, type SandboxOptions, type SandboxStats } from './sandbox.ts'
export type { SyntaxProblem } from './syntax-check.ts'
export { SyntaxChecker } from './syntax-checker.ts'
export { checkText, type ForbiddenIdentifier, forbiddenIdentifiers } from './text-check.ts'
export * from './types.ts'
export { RunViolation, violations } from './violations.ts'
