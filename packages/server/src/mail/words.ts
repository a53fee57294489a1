import type { MailFacts, MailKind } from '../db/schema.ts'

/** The subject and the text of a mail. */
export type Words = { subject: string; text: string }

/** Kinds whose text may contain a link that signs its reader in. Only the recipient sees the text. */
export const secretKinds: ReadonlySet<MailKind> = new Set([
  'reset',
  'invitation',
  'confirmation',
  'email_confirmation',
])

const subjectLimit = 200
/** The most mails that one message contains in full. */
const mostInFull = 50

/** Writes the mail about something that happened to a strategy. */
export function wordsOf(kind: MailKind, facts: MailFacts): Words {
  const named = { ...facts, strategy_name: subjectLine(facts.strategy_name) }
  if (kind === 'approval') return approvalWords(named)
  if (kind === 'answer') return answerWords(named)
  return kind === 'suspension' ? suspensionWords(named) : stopWords(named)
}

/** Combines several mails of one kind into one message. */
export function together(all: Words[]): Words {
  const [first] = all
  if (all.length === 1) return first!
  const told = all.slice(0, mostInFull)
  const left = all.length - told.length
  const text = [
    `This mail combines ${all.length} messages of the same kind.`,
    ...told.map((words, index) => `${index + 1}. ${words.subject}\n\n${words.text}`),
    ...(left === 0 ? [] : [`And ${left} more. GET /api/v2/user/mail lists them all.`]),
  ]
  return { subject: `${first!.subject} (and ${all.length - 1} more)`, text: text.join('\n\n') }
}

/** Makes a text safe for a header: names of strategies appear there, and users choose them. */
export function subjectLine(text: string): string {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
  const characters = [...line]
  return characters.length <= subjectLimit ? line : `${characters.slice(0, subjectLimit - 1).join('')}…`
}

function stopWords(facts: MailFacts): Words {
  return {
    subject: `${titleOf(facts)} has stopped itself`,
    text: [
      `Your strategy ${nameOf(facts)} stopped itself at ${moment(facts.at)}: run ${facts.run_id} called $.Strategy.stop.`,
      'It stays off until you activate it. Its positions stay open: check whether you want to keep them.',
    ].join('\n\n'),
  }
}

function suspensionWords(facts: MailFacts): Words {
  const until = moment(facts.until ?? facts.at)
  return {
    subject: `${titleOf(facts)} is suspended until ${until}`,
    text: [
      `Your strategy ${nameOf(facts)} is suspended from ${moment(facts.at)} until ${until}.`,
      `Reason: run ${facts.run_id} broke the rule ${facts.rule}. The limit is ${facts.limit}, and the run reached ${facts.actual}.`,
      'It resumes on its own after that time. You can also activate it earlier. Correct its code first: each further violation within a day suspends it for longer. Its positions stay open.',
    ].join('\n\n'),
  }
}

function approvalWords(facts: MailFacts): Words {
  if (facts.change != null) return changeWords(facts, facts.change)
  const until = moment(facts.until ?? facts.at)
  const symbols = shortened(subjectLine((facts.symbols ?? []).join(', ')))
  const action = [facts.action, symbols].filter((part) => part !== '').join(' ')
  const size = facts.size == null ? '' : `, with a size of ${facts.size}`
  const protection =
    facts.protection == null ? '' : `, with the protection ${JSON.stringify(facts.protection)}`
  const entry = facts.entry == null ? '' : `, with the entry ${JSON.stringify(facts.entry)}`
  return {
    subject: `${titleOf(facts)} asks for your approval of ${action} until ${until}`,
    text: [
      `In run ${facts.run_id}, the model of your strategy ${nameOf(facts)} asks to send this action: ${action}${size}${entry}${protection}.`,
      `The service sends it only if you approve it before ${until}. If the strategy asks for another action, that one replaces it.`,
      waysToDecide(facts),
    ].join('\n\n'),
  }
}

function changeWords(facts: MailFacts, change: NonNullable<MailFacts['change']>): Words {
  const until = moment(facts.until ?? facts.at)
  const target = nameOf({ ...change, strategy_name: shortened(subjectLine(change.strategy_name)) })
  const what =
    change.status === null
      ? `replace the code of your strategy ${target}, from version ${change.version} on`
      : `set your strategy ${target} ${change.status}`
  return {
    subject: `${titleOf(facts)} asks for your approval of a change until ${until}`,
    text: [
      `In run ${facts.run_id}, the model of your strategy ${nameOf(facts)} asks to ${what}.`,
      `The service makes the change only if you approve it before ${until}, and only if nobody has saved that strategy meanwhile. Read all of the change before you approve it.`,
      waysToDecide(facts),
    ].join('\n\n'),
  }
}

function waysToDecide({ approval_id: id }: MailFacts): string {
  const path = `/api/v2/approval/${id}`
  return [`Show: GET ${path}`, `Approve: POST ${path}/approve`, `Reject: POST ${path}/reject`].join('\n')
}

function answerWords(facts: MailFacts): Words {
  return {
    subject: `${titleOf(facts)} has answered`,
    text: [
      `The model of your strategy ${nameOf(facts)} answered in run ${facts.run_id} at ${moment(facts.at)}. All lines that begin with ">" are its answer. It may repeat what senders and pages wrote, so check a link before you open it.`,
      (facts.answer ?? '').replaceAll(/^/gm, '> '),
    ].join('\n\n'),
  }
}

function titleOf({ strategy_id: id, strategy_name: name }: MailFacts): string {
  return name === '' ? `Strategy ${id}` : `Strategy "${shortened(name)}"`
}

function nameOf({
  strategy_id: id,
  strategy_name: name,
}: Pick<MailFacts, 'strategy_id' | 'strategy_name'>): string {
  return name === '' ? `${id}` : `"${name}" (id ${id})`
}

function shortened(name: string): string {
  const characters = [...name]
  return characters.length <= 80 ? name : `${characters.slice(0, 79).join('')}…`
}

/** A time in ISO 8601, as people read it. */
function moment(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`
}
