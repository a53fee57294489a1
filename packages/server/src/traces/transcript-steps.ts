import type { TranscriptEntry } from '../ai/transcript.ts'
import type { AddSignal, Work } from './code-steps.ts'
import type { Step, Timeline } from './timeline.ts'

/** Longer texts are cut: the run itself has the whole transcript. */
const longestText = 1_000

/**
 * Adds the conversation of a run with its model.
 * @param transcript a list of {@link TranscriptEntry} as JSON
 */
export function addTranscriptSteps(
  timeline: Timeline,
  transcript: string,
  started: Step,
  addSignal: AddSignal,
): Work {
  let latest = started
  let signal: Step | undefined
  let call: Step | undefined
  for (const entry of JSON.parse(transcript) as TranscriptEntry[]) {
    const at = started.at === null ? null : started.at + entry.ms
    // The result says that the signal is stored, so the signal comes before it.
    if (isAction(entry) && call !== undefined) signal = addSignal(call, at ?? undefined)
    const step = timeline.add({ ...describe(entry), at, runMs: entry.ms, ids: started.ids }, latest)
    // The question for the next answer is complete when the step before it is.
    if (entry.type === 'answer' || entry.type === 'failure') step.tookMs = entry.ms - (latest.runMs ?? 0)
    if (entry.type === 'call') call = step
    if (entry.type === 'result' && call !== undefined) call.tookMs = entry.ms - (call.runMs ?? 0)
    latest = step
  }
  return { latest, signal }
}

/** The tools that send an action. */
const actions: ReadonlySet<string> = new Set(['open_position', 'close_position'])

function isAction(entry: TranscriptEntry): boolean {
  return entry.type === 'result' && entry.status === 'accepted' && actions.has(entry.tool)
}

function describe(entry: TranscriptEntry): Pick<Step, 'kind' | 'text'> & { reason?: string } {
  switch (entry.type) {
    case 'prompt':
      return { kind: 'prompt', text: cut(`${entry.role}: ${entry.text}`) }
    case 'asked':
      return {
        kind: 'asked',
        text: `The service asked ${entry.model} of ${entry.service}${entry.fallback ? ', the fallback' : ''}.`,
      }
    case 'answer': {
      const { text, finish, tokens } = entry
      const cost = tokens === null ? '' : `, ${tokens.input} tokens in, ${tokens.output} out`
      return { kind: 'reply', text: cut(`(${finish}${cost}) ${text}`.trim()) }
    }
    case 'call':
      return { kind: 'call', text: cut(`${entry.tool} ${entry.input}`) }
    case 'result': {
      const text = cut(`${entry.status}: ${entry.text}`)
      return entry.status === 'accepted'
        ? { kind: 'answer', text }
        : { kind: 'answer', text, reason: `${entry.tool} was not carried out: ${text}` }
    }
    case 'failure':
      return { kind: 'failure', text: cut(`${entry.kind}: ${entry.text}`) }
    case 'chart':
      return { kind: 'chart', text: cut(entry.text) }
    case 'cut':
      return { kind: 'cut', text: 'Further steps are not shown: the transcript of the run was full.' }
  }
}

function cut(text: string): string {
  return text.length <= longestText ? text : `${text.slice(0, longestText - 1).toWellFormed()}…`
}
