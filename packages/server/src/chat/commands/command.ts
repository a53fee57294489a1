import type { List } from '@tickwright/client'
import type { ChatAction } from '../../db/schema.ts'
import type { Api } from '../../mcp/api.ts'
import { figure, words } from '../../notifications/kinds/words.ts'
import type { LinkedPerson } from '../links.ts'

/** What a command works with. `rest` is the text after the command. */
export type Asked = { person: LinkedPerson; api: Api; rest: string; mute: Mute }

/** Silences all chats of a user for so many minutes, or with `null` no longer. @returns how many there are */
export type Mute = (userId: number, minutes: number | null) => Promise<number>

/** The lines of an answer. Texts of others in them are cleaned, but not yet defused. */
export type Lines = string[]

/** Something that spends money or widens risk: a person sees `lines`, and a button does it. */
export type Offer = { lines: Lines; action: ChatAction; word: string }

export type Command = {
  /** For `/help`: the command with its arguments, and what it does. */
  usage: string
  does: string
  run(asked: Asked): Promise<Lines | Offer>
}

/** The command is not possible as it was sent. The person reads the message. */
export class NotPossible extends Error {
  override name = 'NotPossible'
}

/** A name or a reason, as one short line. */
export function short(text: string | null | undefined, limit = 80): string {
  return words(text ?? '', limit)
}

/** Paper and demo accounts must never pass for real money. */
export function modeOf({ mode, demo }: { mode: string; demo?: boolean | null }): string {
  if (mode === 'paper') return 'paper'
  return demo === true ? 'demo account' : mode
}

export function itemsOf<Item>(list: List<Item>): readonly Item[] {
  return Array.isArray(list) ? list : list.items
}

/** Such as `3 min ago`. */
export function ago(iso: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(iso)) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  return seconds < 86_400
    ? `${Math.floor(seconds / 3_600)} h ago`
    : `${Math.floor(seconds / 86_400)} days ago`
}

/** The most lines of a list. A phone shows no more, and a message has 4,096 characters. */
export const mostShown = 15

/** The first of them, and how many more there are. */
export function shown<Item>(items: readonly Item[], line: (item: Item) => string): Lines {
  const lines = items.slice(0, mostShown).map(line)
  return items.length > mostShown ? [...lines, `And ${items.length - mostShown} more.`] : lines
}

/** All bots of the person, however many an installation allows: none of them may escape `/halt`. */
export function botsOf(api: Api) {
  return everyPage((page) => api('GET /api/v2/bot/signal/cex?{query}', page))
}

/** All open positions of the person, so that a question about closing them names their true number. */
export function positionsOf(api: Api, filter: { bot_id?: number; symbol?: string } = {}) {
  return everyPage((page) => api('GET /api/v2/position?{query}', { ...filter, ...page }))
}

async function everyPage<Item>(
  read: (page: { page: number; limit: number }) => Promise<List<Item>>,
): Promise<Item[]> {
  const limit = 200
  const found: Item[] = []
  for (let page = 1; ; page++) {
    const items = itemsOf(await read({ page, limit }))
    found.push(...items)
    if (items.length < limit) return found
  }
}

export type Bot = Awaited<ReturnType<typeof botsOf>>[number]

/** What a bot opens a position for, such as `100 USDT` or `5 % of its equity`. */
export function amountOf({ amount, amount_unit, amount_in, amount_currency }: Bot): string {
  const number = figure(amount)
  if (amount_unit === 'equity_percent') return `${number} % of its equity`
  if (amount_unit === 'risk_percent') return `${number} % of its equity at risk`
  const unit = amount_unit === 'quote' ? amount_currency : (amount_in ?? 'of the base currency')
  return `${number} ${short(unit, 40)}`
}

/** The names of bots by id, with their modes, such as `Follower, paper`. */
export function namesOf(bots: readonly Bot[]): (id: number) => string {
  const byId = new Map(bots.map((bot) => [bot.id, `${short(bot.name, 40)}, ${modeOf(bot)}`]))
  return (id) => byId.get(id) ?? `bot ${id}`
}

/** A bot by its id or its name, which only one bot may have. */
export function botNamed(bots: readonly Bot[], given: string): Bot {
  const wanted = given.trim()
  if (wanted === '') throw new NotPossible('Name a bot by its number: /bots lists them.')
  const byId = bots.find(({ id }) => String(id) === wanted)
  const byName = bots.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const found = byId ?? (byName.length === 1 ? byName[0] : undefined)
  if (found !== undefined) return found
  throw new NotPossible(
    byName.length > 1
      ? `Several bots are called ${short(wanted, 40)}. Use the number: /bots lists them.`
      : `You have no bot ${short(wanted, 40)}. /bots lists them.`,
  )
}
