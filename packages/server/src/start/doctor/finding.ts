/** What the doctor has found out about one thing. */
export type Finding = {
  /** What was looked at, such as `clock`. */
  about: string
  /** `note`: it works, but somebody may want it otherwise, or it could not be looked at. */
  state: 'good' | 'note' | 'bad'
  /** A fact, in one sentence. */
  text: string
  /** What to do about it: a command, a setting, or a sentence. */
  remedy?: string
}

const signs = { good: 'ok', note: 'note', bad: 'BAD' }
const width = { sign: 6, about: 16 }

/** The findings for a person, and a last line that sums them up. */
export function reportOf(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ about, state, text, remedy }) => [
    `${signs[state].padEnd(width.sign)}${about.padEnd(width.about)}${text}`,
    ...(remedy === undefined ? [] : [`${' '.repeat(width.sign + width.about)}→ ${remedy}`]),
  ])
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const [bad, notes] = [count('bad'), count('note')]
  const sum =
    bad > 0
      ? `${bad} ${bad === 1 ? 'thing keeps' : 'things keep'} the service from its work.`
      : 'Nothing keeps the service from its work.'
  const more = notes === 0 ? '' : ` ${notes} ${notes === 1 ? 'note is' : 'notes are'} worth a look.`
  return `${lines.join('\n')}\n\n${sum}${more}\n`
}

/** What went wrong, in one line, as a person reads it. */
export function wordsOf(error: unknown): string {
  const { message, cause } = error as Error
  const inner = cause instanceof Error ? cause.message : ''
  return (inner || message || String(error)).split('\n', 1)[0]!
}
