import { and, eq } from 'drizzle-orm'
import { notFound } from '../base/errors.ts'
import type { Principal } from '../base/principal.ts'
import type { Window } from '../base/window.ts'
import type { Database, Db } from '../db/database.ts'
import { auditEvents } from '../db/schema.ts'
import { betweenCursors, countUpToMost, inOrder, newestFirst } from '../db/windows.ts'

/** The events of the audit log. `docs/accounts.md` says what each means. */
export const auditEventNames = [
  'sign_in',
  'password_refused',
  'code_refused',
  'locked',
  'sign_out',
  'sign_out_everywhere',
  'session_ended',
  'password_changed',
  'password_reset_asked',
  'password_reset',
  'email_change_asked',
  'email_changed',
  'totp_on',
  'totp_off',
  'recovery_code_used',
  'api_key_made',
  'api_key_changed',
  'api_key_rotated',
  'api_key_revoked',
  'signature_refused',
  'connection_made',
  'connection_deleted',
  'variable_made',
  'variable_changed',
  'variable_deleted',
  'webhook_key_changed',
  'webhook_url_rotated',
  'endpoint_made',
  'endpoint_changed',
  'endpoint_rotated',
  'endpoint_deleted',
  'chat_link_made',
  'chat_linked',
  'chat_unlinked',
  'chat_acted',
  'user_made',
  'user_changed',
  'user_disabled',
  'user_enabled',
  'user_deleted',
  'role_changed',
  'limits_changed',
  'invitation_made',
  'invitation_revoked',
  'approval_approved',
  'approval_rejected',
  'books_adopted',
  'difference_ignored',
  'positions_closed',
  'close_proceeded',
  'close_dropped',
  'drawdown_reset',
  'protection_changed',
  'panic',
  'trading_halted',
  'halt_reason_changed',
  'trading_resumed',
  'live_trading_on',
  'live_trading_off',
] as const

export type AuditEventName = (typeof auditEventNames)[number]
export type AuditEvent = typeof auditEvents.$inferSelect
export type AuditDetails = Record<string, string | number>

/** The user who does something, and their address. `userId` is `null` if the user is unknown. */
export type Actor = { userId: number | null; ip: string | null }

/**
 * Records a change in the transaction that makes it, so that neither exists without the other.
 * @param details describe the change, without secrets
 */
export type Note = (tx: Db, details: AuditDetails) => Promise<void>

/** For changes that no request asked for. */
export const noNote: Note = async () => undefined

/** The security events of accounts. It contains no secrets. */
export class AuditLog {
  #database: Database
  #strategies: { readonly current: number | null }

  /** @param strategies knows which strategy sent the current request */
  constructor(database: Database, strategies: { readonly current: number | null } = { current: null }) {
    this.#database = database
    this.#strategies = strategies
  }

  /**
   * @param userId the user in whose log the event appears
   * @param tx the transaction of the recorded change; default: none
   */
  async record(
    userId: number,
    event: AuditEventName,
    by: Actor,
    details: AuditDetails = {},
    tx: Db = this.#database.db,
  ): Promise<void> {
    const byStrategyId = this.#strategies.current
    await tx
      .insert(auditEvents)
      .values({ userId, event, byUserId: by.userId, byStrategyId, ip: by.ip, details })
  }

  /** Makes the function that a service calls when a user has changed something of their own. */
  note({ principal, ip }: { principal: Principal; ip: string }, event: AuditEventName): Note {
    const { userId } = principal
    return (tx, details) => this.record(userId, event, { userId, ip }, details, tx)
  }

  /** Newest first. */
  async list(userId: number, window: Window): Promise<AuditEvent[]> {
    const rows = await this.#database.db
      .select()
      .from(auditEvents)
      .where(and(eq(auditEvents.userId, userId), betweenCursors(auditEvents.id, window)))
      .orderBy(...inOrder(window, auditEvents.id))
      .limit(window.limit)
      .offset(window.offset)
    return newestFirst(rows, window)
  }

  /** At most one more than `mostCounted`. */
  count(userId: number): Promise<number> {
    return countUpToMost(this.#database.db, auditEvents, eq(auditEvents.userId, userId))
  }
}

/** @throws {AppError} 404 if `id` is another user, unless the caller is an administrator */
export function demandSight(principal: Principal, id: number): void {
  if (principal.userId !== id && principal.role !== 'admin') throw notFound('user', id)
}
