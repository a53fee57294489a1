export type { ContainmentLayer, ContainmentLevel } from './containment.ts'
export { forbiddenMessage } from './forbidden-message.ts'
export {
  actionsPerRun,
  actionsPerSecond,
  bodyByteLimit,
  callsPerRun,
  codeByteLimit,
  httpRequestsPerRun,
  httpTimeoutMs,
  logByteLimit,
  runTimeoutMs,
  storageByteLimit,
} from './limits.ts'
export { isOrderSize, leastOrderSize, mostOrderSize, orderSizeProblem, orderSizeWords } from './order-size.ts'
export { openSandbox, type Sandbox, type SandboxOptions, type SandboxStats } from './sandbox.ts'
export type { SyntaxProblem } from './syntax-check.ts'
export { SyntaxChecker } from './syntax-checker.ts'
export { checkText, type ForbiddenIdentifier, forbiddenIdentifiers } from './text-check.ts'
export * from './types.ts'
export { RunViolation, violations } from './violations.ts'
