/** Which view of the administration an address means. */

import { type EventGroup, isEventGroup } from '../audit/audit-text.ts'

export const tabs = ['users', 'invitations', 'audit', 'exchanges', 'trading', 'system'] as const
const roles = ['admin', 'user'] as const
const statuses = ['ACTIVE', 'DISABLED'] as const
export const kinds = ['CEX', 'DEX', 'PREDICTION', 'SIM'] as const
const states = ['on', 'off'] as const

export type AdministrationSearch = {
  tab?: (typeof tabs)[number]
  /** A text in names. */
  q?: string
  role?: (typeof roles)[number]
  status?: (typeof statuses)[number]
  /** The user who is shown, or whose events are. */
  user?: number
  events?: EventGroup
  kind?: (typeof kinds)[number]
  state?: (typeof states)[number]
}

/** Reads the view of an address. What means nothing is left out: anybody can write an address. */
export function readAdministrationSearch(search: Record<string, unknown>): AdministrationSearch {
  const { tab, q, role, status, user, events, kind, state } = search
  const userId = Number(user)
  return {
    ...(isOneOf(tabs, tab) ? { tab } : {}),
    ...(typeof q === 'string' && q !== '' ? { q: q.slice(0, 200) } : {}),
    ...(isOneOf(roles, role) ? { role } : {}),
    ...(isOneOf(statuses, status) ? { status } : {}),
    ...(Number.isSafeInteger(userId) && userId > 0 ? { user: userId } : {}),
    ...(isEventGroup(events) ? { events } : {}),
    ...(isOneOf(kinds, kind) ? { kind } : {}),
    ...(isOneOf(states, state) ? { state } : {}),
  }
}

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return values.includes(value as Value)
}

type UserLike = { id: number; email: string; name: string; role: string; status: string }

/** Whether a user belongs into the filtered list. */
export function isUserWanted(user: UserLike, { q, role, status }: AdministrationSearch): boolean {
  if (role !== undefined && user.role !== role) return false
  if (status !== undefined && user.status !== status) return false
  return q === undefined || has(q, user.email, user.name, String(user.id))
}

type ExchangeLike = { id: number; name: string; type: string; service: string; enabled: boolean }

/** Whether an exchange belongs into the filtered list. */
export function isExchangeWanted(exchange: ExchangeLike, { q, kind, state }: AdministrationSearch): boolean {
  if (kind !== undefined && exchange.type !== kind) return false
  if (state !== undefined && exchange.enabled !== (state === 'on')) return false
  return q === undefined || has(q, exchange.name, exchange.service, String(exchange.id))
}

function has(wanted: string, ...texts: string[]): boolean {
  const lower = wanted.toLowerCase()
  return texts.some((text) => text.toLowerCase().includes(lower))
}
