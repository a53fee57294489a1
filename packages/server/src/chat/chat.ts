import type { AuditLog } from '../accounts/audit-log.ts'
import type { Confirmations } from '../accounts/confirmations.ts'
import { AppError } from '../base/errors.ts'
import { isDatabaseAway } from '../base/failures.ts'
import { TokenBuckets } from '../base/token-buckets.ts'
import type { Api } from '../mcp/api.ts'
import { ApiRefusal, ToolRefusal } from '../mcp/api.ts'
import { asShown, cut, defused } from '../notifications/kinds/words.ts'
import type { Buttons, ChatButton } from './buttons.ts'
import { acting, perform } from './commands/acting.ts'
import { type Command, type Lines, type Mute, NotPossible, type Offer, short } from './commands/command.ts'
import { reading } from './commands/reading.ts'
import type { ChatLinks, LinkedPerson } from './links.ts'
import { type Button, type Telegram, TelegramError, type Update } from './telegram.ts'

export type ChatParts = {
  links: ChatLinks
  buttons: Buttons
  confirmations: Confirmations
  audit: AuditLog
  mute: Mute
  telegram: Telegram
  /** The API with the rights of a person. With a key, each of its changes takes effect once. */
  apiOf(person: LinkedPerson, key: string): Api
  /** An update could not be answered. The error names no token. */
  onError(error: unknown): void
}

/** Commands of one person: enough for people, too slow to search for codes or to keep the service busy. */
const commandsASecond = 0.5
const commandsAtOnce = 20
/** A person waits no longer for an answer that Telegram holds back, and neither do others. */
const longestWaitMs = 5_000
const longestMessage = 4_096
/** An order that has waited longer, because nobody was listening, may no longer be meant. A halt always is. */
const staleSeconds = 120
const codeForm = /^\s*(?:\d{6}|[a-z0-9]{4}-?[a-z0-9]{4}-?[a-z0-9]{4})\s*$/i

type Message = NonNullable<Update['message']>
type FromPerson = Message & { from: NonNullable<Message['from']> }
type Press = NonNullable<Update['callback_query']>

/**
 * Answers people in private chats with the bot. Anyone who is not linked gets no answer at all, and neither does anything in
 * groups and channels. The link is read again for each update, so a link that was removed, and a user who was disabled,
 * has no access from then on.
 *
 * An update may come again, after a kill for example. What it does has the update or its button as idempotency key, so it
 * happens once.
 */
export class Chat {
  #parts: ChatParts
  #pace = new TokenBuckets(commandsASecond, commandsAtOnce)
  #haltPace = new TokenBuckets(commandsASecond, commandsAtOnce)

  constructor(parts: ChatParts) {
    this.#parts = parts
  }

  /** Handles an update. Rejects if it should be handled again, for example while the database is unreachable. */
  async handle({ update_id: updateId, message, callback_query: press }: Update): Promise<void> {
    if (press !== undefined) return this.#pressed(press, updateId)
    if (message === undefined || !isFromPerson(message)) return
    const { from, chat } = message
    const text = message.text && asShown(message.text)
    if (text === undefined || this.#paceOf(text).take(from.id, Date.now()) > 0) return
    const code = /^\/start ([\w-]{1,64})$/.exec(text)?.[1]
    if (code !== undefined) return this.#link(message, code)
    const person = await this.#parts.links.find(from.id)
    if (person === undefined) return
    await this.#parts.links.noteUse(person.linkId)
    const answer = await this.#safely(() => this.#answer(person, message, text, updateId))
    if (Array.isArray(answer)) return this.#reply(chat.id, answer)
    await this.#offer(person, chat.id, answer)
  }

  /** A person who has asked too much can still halt. */
  #paceOf(text: string): TokenBuckets {
    return /^\/halt\b/.test(text) ? this.#haltPace : this.#pace
  }

  async #link({ from, chat }: FromPerson, code: string): Promise<void> {
    const parts = [from.first_name, from.last_name, from.username && `@${from.username}`]
    const name = short(parts.filter(Boolean).join(' '))
    const person = await this.#parts.links.redeem(code, { telegramId: from.id, name })
    if (person === undefined) return
    const may = person.scope === 'read' ? 'You can look at it.' : 'You can look at it and act.'
    await this.#reply(chat.id, [
      `You are linked to the account ${short(person.email)}. ${may}`,
      'Write /help for the commands, and /unlink to end this.',
    ])
  }

  async #answer(
    person: LinkedPerson,
    message: FromPerson,
    text: string,
    updateId: number,
  ): Promise<Lines | Offer> {
    const [, name, rest = ''] = /^\/(\w{1,32})(?:@\w+)?(?:\s+([\s\S]*))?$/.exec(text) ?? []
    if (name === undefined && codeForm.test(text))
      return this.#confirm(person, message, text.trim(), updateId)
    if (name === 'help' || name === 'start') return helpLines(person)
    if (name === 'unlink') {
      await this.#parts.links.unlink(person)
      return ['You are no longer linked. For a new link, sign in to the dashboard.']
    }
    const asked = {
      person,
      api: this.#parts.apiOf(person, `telegram-${updateId}`),
      rest,
      mute: this.#parts.mute,
    }
    const known = commandNamed(reading, name)
    if (known !== undefined) return known.run(asked)
    const command = commandNamed(acting, name)
    if (command === undefined) return ['I do not know that. Write /help for the commands.']
    if (person.scope !== 'control')
      throw new NotPossible('Your link is for reading. To act, make a link for control on the dashboard.')
    const ageSeconds = Date.now() / 1000 - message.date
    if (name !== 'halt' && ageSeconds > staleSeconds)
      throw new NotPossible(
        `You wrote ${text.slice(0, 32)} a while ago, so nothing was done. Write it again.`,
      )
    await this.#note(person, `/${name}`)
    return command.run(asked)
  }

  /** Shows what something would do, with a button that does it. */
  async #offer(person: LinkedPerson, chatId: number, { lines, action, word }: Offer): Promise<void> {
    const text = textOf(lines)
    const code = await this.#parts.buttons.make(person.linkId, action, text)
    const buttons = [
      { text: word, data: `do ${code}` },
      { text: 'No', data: `no ${code}` },
    ]
    await this.#reply(chatId, [...lines, 'The button works once, for a minute.'], buttons)
  }

  async #pressed({ id, from, data = '', message }: Press, updateId: number): Promise<void> {
    const chatId = message?.chat.type === 'private' && message.chat.id === from.id ? from.id : undefined
    if (chatId === undefined || from.is_bot || this.#pace.take(from.id, Date.now()) > 0) return
    const person = await this.#parts.links.find(from.id)
    if (person === undefined) return
    const [, what, code = ''] = /^(do|no) ([\w-]{32})$/.exec(data) ?? []
    const isOurs = what !== undefined && person.scope === 'control'
    const button = isOurs ? await this.#parts.buttons.press(person.linkId, code, updateId) : undefined
    if (button === undefined) return this.#tell(id, 'This button no longer works.')
    const lines = what === 'no' ? [button.text, 'Nothing was done.'] : [button.text]
    // What the person wants does not wait for Telegram.
    const shown = Promise.all([this.#tell(id), this.#close(chatId, message!.message_id, lines)])
    const answer = what === 'no' ? [] : await this.#act(person, button)
    await shown
    if (answer.length > 0) await this.#reply(chatId, answer)
  }

  /** Does what a button says, or asks for a code first. */
  async #act(person: LinkedPerson, button: ChatButton): Promise<Lines> {
    if (!(await this.#parts.confirmations.isNeeded(person.userId)))
      return this.#safely(() => this.#perform(person, button))
    await this.#parts.buttons.awaitCode(button)
    return ['Now send a code of your authenticator, within a minute.']
  }

  /** A code of the second factor, for the button that waits for one. */
  async #confirm(person: LinkedPerson, message: FromPerson, code: string, updateId: number): Promise<Lines> {
    const { buttons, confirmations, telegram } = this.#parts
    const button = person.scope === 'control' ? await buttons.awaiting(person.linkId, updateId) : undefined
    if (button === undefined) return ['Nothing waits for a code. Write /help for the commands.']
    if (button.confirmedBy !== updateId) await confirmations.check(person.userId, code)
    if (!(await buttons.confirm(button, updateId))) return ['Nothing waits for a code.']
    const deleted = telegram.delete(message.chat.id, message.message_id).catch(() => undefined)
    const answer = await this.#perform(person, button)
    await deleted
    return answer
  }

  async #perform(person: LinkedPerson, { id, action }: ChatButton): Promise<Lines> {
    await this.#note(person, `/${action.name}`)
    return perform(action, this.#parts.apiOf(person, `telegram-button-${id}`))
  }

  /** Who acted from where. What it changed is in the audit log, too. */
  async #note({ userId, linkId }: LinkedPerson, command: string): Promise<void> {
    const by = { userId, ip: null }
    await this.#parts.audit.record(userId, 'chat_acted', by, { link_id: linkId, command })
  }

  /** What a person can do something about becomes an answer. */
  async #safely<Answer>(work: () => Promise<Answer>): Promise<Answer | Lines> {
    try {
      return await work()
    } catch (error) {
      const refusal = refusalOf(error)
      if (refusal !== undefined) return [refusal]
      // The update waits for the database.
      if (isDatabaseAway(error)) throw error
      this.#parts.onError(error)
      return ['The service could not answer. Its log says why.']
    }
  }

  /** Ends the turning wheel of a button. */
  async #tell(pressId: string, text?: string): Promise<void> {
    await this.#parts.telegram
      .answerPress(pressId, text)
      .catch((error: unknown) => this.#parts.onError(error))
  }

  /** Takes the buttons from under a message. */
  async #close(chatId: number, messageId: number, lines: Lines): Promise<void> {
    await this.#parts.telegram
      .edit(chatId, messageId, textOf(lines))
      .catch((error: unknown) => this.#parts.onError(error))
  }

  /** What cannot be sent is lost: the person asks again. */
  async #reply(chatId: number, lines: Lines, buttons?: readonly Button[]): Promise<void> {
    try {
      await this.#send(chatId, textOf(lines), buttons)
    } catch (error) {
      // The person has blocked the bot, or is gone.
      if (error instanceof TelegramError && error.code === 403) return
      this.#parts.onError(error)
    }
  }

  async #send(chatId: number, text: string, buttons?: readonly Button[]): Promise<void> {
    try {
      await this.#parts.telegram.send(chatId, text, buttons)
    } catch (error) {
      const waitMs = error instanceof TelegramError ? error.waitMs : null
      if (waitMs === null || waitMs > longestWaitMs) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      await this.#parts.telegram.send(chatId, text, buttons)
    }
  }
}

function textOf(lines: Lines): string {
  return cut(defused(lines.filter((line) => line !== '').join('\n')), longestMessage)
}

function commandNamed(commands: Record<string, Command>, name: string | undefined): Command | undefined {
  return name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined
}

function helpLines({ scope }: LinkedPerson): Lines {
  const known = [...Object.values(reading), ...(scope === 'control' ? Object.values(acting) : [])]
  return [...known.map(({ usage, does }) => `${usage}: ${does}`), '/unlink: ends your access to the account']
}

/** Only what a person writes in a private chat: there, the id of the chat is that of the person. */
function isFromPerson(message: Message): message is FromPerson {
  const { from, chat } = message
  return from !== undefined && !from.is_bot && chat.type === 'private' && chat.id === from.id
}

/** What to tell the person; `undefined` for an error that is none of theirs. */
function refusalOf(error: unknown): string | undefined {
  if (error instanceof NotPossible || error instanceof ToolRefusal || error instanceof AppError)
    return error.message
  if (!(error instanceof ApiRefusal)) return undefined
  const said = (error.body as { error?: unknown } | null)?.error
  return typeof said === 'string' ? said : 'The service refused it.'
}
