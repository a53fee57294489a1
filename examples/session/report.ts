import type { Decided } from './decide.ts'
import type { Traded } from './trades.ts'

/** The decisions, one line each, oldest first. */
export function decisionTable({ decisions }: Decided): string {
  if (decisions.length === 0) return 'The session never acted.'
  const lines = decisions.map(
    ({ at, action, said }) => `${minuteOf(at)}  ${action.padEnd(6)}  ${excerpt(said)}`,
  )
  return ['decided (UTC)     action  what the model said', ...lines].join('\n')
}

/** What the session cost, and what came of it. */
export function summary(decided: Decided, traded: Traded, seconds: number): string {
  const { runs, decisions, tokens, failures, budgetEnded } = decided
  const all = tokens.input + tokens.output
  const each = runs === 0 ? 0 : Math.round(all / runs)
  return [
    `${grouped(runs)} decisions in ${seconds.toFixed(1)} s, ${decisions.length} of them to act.`,
    ...(budgetEnded === null ? [] : [`The service stopped asking: ${budgetEnded}`]),
    ...Object.entries(failures).map(([kind, count]) => `${count} failed: ${kind}.`),
    `Tokens: ${grouped(tokens.input)} for questions and ${grouped(tokens.output)} for answers, ${grouped(each)} a decision.`,
    tradesLine(traded),
    `The balance went from ${traded.startBalance} to ${traded.equity} (${traded.returnPercent}), with fees of ${traded.fees}. The price changed by ${traded.heldPercent}.`,
  ].join('\n')
}

function tradesLine({ trades, won, lost, open }: Traded): string {
  const rest = open ? ', and one is still open' : ''
  return `Trades on paper: ${trades} closed, ${won} won and ${lost} lost${rest}.`
}

const grouped = (count: number) => count.toLocaleString('en')

function minuteOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** The beginning of a text, safe to print in a terminal. */
function excerpt(text: string | null): string {
  if (text === null) return ''
  const line = text.replaceAll(/\p{Control}+/gu, ' ').trim()
  return line.length > 70 ? `${line.slice(0, 69)}…` : line
}
