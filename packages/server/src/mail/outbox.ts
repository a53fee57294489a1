import { randomUUID } from 'node:crypto'
import { and, asc, eq, gt, inArray, isNull, lte, sql } from 'drizzle-orm'
import type { Database, Db } from '../db/database.ts'
import { type MailKind, mails } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'
import { readWords } from './mails.ts'
import { secretKinds, together, type Words } from './words.ts'

type Row = typeof mails.$inferSelect

/** The mails of one kind to one address. One transaction decides about all of them. */
export type Group = { recipient: string; kind: MailKind }

/** One or more mails that go as one message. Each attempt sends the same. */
export type Message = Group &
  Words & {
    messageId: string
    attempts: number
    firstAttemptAt: Date
  }

export type Outcome =
  | { status: 'SENT' }
  | { status: 'FAILED'; reason: string }
  | { status: 'WAITING'; reason: string; nextAttemptAt: Date }

/** A mail that is not sent because there is no mail server. */
export type KeptMail = { recipient: string; kind: MailKind; words: Words | undefined }

const hourMs = 60 * 60 * 1000
/** How long a node's claim of a message lasts. Longer than any attempt. */
const claimMs = 5 * 60 * 1000
/** Messages with a requested link to one address within an hour. */
const mostLinks = 5
/** Kinds that the user waits for: each mail goes at once, or within a minute if there are many. */
const promptKinds: ReadonlySet<MailKind> = new Set(['answer', 'approval', 'notification', 'stop'])
/** Messages of such a kind that go to an address at once within an hour; after that, one goes each minute. */
const promptPerHour = 10
const minuteMs = 60 * 1000
const rowsAtOnce = 1_000

/**
 * Decides which mail goes when. Mail that nobody asked for goes to an address at most once an hour for each kind; mails
 * that arrive meanwhile wait, and go together in the next message. A link that a user asked for goes at once, up to
 * five an hour, and replaces older ones. A request for approval, an event for an endpoint of the kind email, the
 * mail of `$.Strategy.stop(true)`, or the answer of a model goes at once too; after ten in an hour, the mails of a minute go together.
 */
export class Outbox {
  #database: Database
  #vault: Vault
  #now: () => number

  constructor(database: Database, vault: Vault, now: () => number = () => Date.now()) {
    this.#database = database
    this.#vault = vault
    this.#now = now
  }

  /** The groups with something due, longest wait first. */
  async due(): Promise<Group[]> {
    const rows = await this.#database.db
      .select({ recipient: mails.recipient, kind: mails.kind })
      .from(mails)
      .where(and(eq(mails.status, 'WAITING'), lte(mails.nextAttemptAt, this.#at())))
      .groupBy(mails.recipient, mails.kind)
      .orderBy(sql`min(${mails.nextAttemptAt})`)
      .limit(50)
    return rows
  }

  async waiting(): Promise<number> {
    return this.#database.db.$count(mails, eq(mails.status, 'WAITING'))
  }

  /** Claims the mails of a group that may go now; `undefined` if none may, or another node works on the group. */
  claim(group: Group): Promise<Message | undefined> {
    return this.#database.db.transaction(async (tx) => {
      if (!(await lockGroup(tx, group))) return undefined
      const rows = await tx
        .select()
        .from(mails)
        .where(and(ofGroup(group), eq(mails.status, 'WAITING')))
        .orderBy(asc(mails.id))
        .limit(rowsAtOnce)
      if (rows.length === 0) return undefined
      const chosen = await this.#choose(tx, group, rows)
      return chosen.length === 0 ? undefined : this.#take(tx, group, chosen)
    })
  }

  async finish({ messageId, kind }: Message, outcome: Outcome): Promise<void> {
    const isOver = outcome.status !== 'WAITING'
    await this.#database.db
      .update(mails)
      .set({
        status: outcome.status,
        sending: false,
        reason: outcome.status === 'SENT' ? null : outcome.reason,
        ...(isOver ? { finishedAt: this.#at() } : { nextAttemptAt: outcome.nextAttemptAt }),
        ...(isOver && secretKinds.has(kind) ? { body: null } : {}),
      })
      .where(and(eq(mails.messageId, messageId), eq(mails.status, 'WAITING')))
  }

  /**
   * Ends all waiting mails without sending them.
   * @param onKept called for each before that is stored: at least once, perhaps twice
   */
  keepAll(onKept: (mail: KeptMail) => void): Promise<void> {
    return this.#database.db.transaction(async (tx) => {
      const rows = await tx
        .select()
        .from(mails)
        .where(eq(mails.status, 'WAITING'))
        .orderBy(asc(mails.id))
        .limit(rowsAtOnce)
        .for('update', { skipLocked: true })
      for (const row of rows) {
        onKept({ recipient: row.recipient, kind: row.kind, words: readWords(row, this.#vault) })
      }
      const end = (some: Row[], change: { body?: null }) =>
        setRows(tx, some, { status: 'KEPT', sending: false, finishedAt: this.#at(), ...change })
      await end(
        rows.filter(({ kind }) => secretKinds.has(kind)),
        { body: null },
      )
      await end(
        rows.filter(({ kind }) => !secretKinds.has(kind)),
        {},
      )
    })
  }

  #choose(tx: Db, group: Group, rows: Row[]): Promise<Row[]> {
    if (secretKinds.has(group.kind)) return this.#chooseLink(tx, group, rows)
    return promptKinds.has(group.kind)
      ? this.#choosePrompt(tx, group, rows)
      : this.#chooseHourly(tx, group, rows)
  }

  /** All mails that are in no message yet, also while an earlier message is retried; else a message that is due. */
  async #choosePrompt(tx: Db, group: Group, rows: Row[]): Promise<Row[]> {
    const fresh = rows.filter(({ messageId }) => messageId === null)
    const isCrowded = (await this.#sentAt(tx, group, promptPerHour)) !== undefined
    const lastAt = isCrowded ? await this.#sentAt(tx, group, 1) : undefined
    const nextAt = new Date((lastAt?.getTime() ?? 0) + minuteMs)
    if (fresh.length > 0 && nextAt <= this.#at()) return fresh
    await defer(tx, fresh, nextAt)
    const due = rows.find(({ messageId, nextAttemptAt }) => messageId !== null && nextAttemptAt <= this.#at())
    return due === undefined ? [] : rows.filter(({ messageId }) => messageId === due.messageId)
  }

  /** The mails of the message in progress; otherwise all waiting mails, once the hour is over. */
  async #chooseHourly(tx: Db, group: Group, rows: Row[]): Promise<Row[]> {
    const open = rows.filter(({ messageId }) => messageId !== null)
    const fresh = rows.filter(({ messageId }) => messageId === null)
    if (open.length > 0) {
      const { nextAttemptAt } = open[0]!
      // One message at a time: otherwise newer mails would go within the same hour.
      await defer(tx, fresh, nextAttemptAt)
      return nextAttemptAt <= this.#at() ? open : []
    }
    const lastAt = await this.#sentAt(tx, group, 1)
    if (lastAt === undefined) return fresh
    await defer(tx, fresh, new Date(lastAt.getTime() + hourMs))
    return []
  }

  /** The newest mail, which replaces all that were not sent yet. */
  async #chooseLink(tx: Db, group: Group, rows: Row[]): Promise<Row[]> {
    const newest = rows.at(-1)!
    const older = rows.filter((row) => row !== newest && !(row.sending && row.nextAttemptAt > this.#at()))
    await setRows(tx, older, {
      status: 'SUPERSEDED',
      sending: false,
      finishedAt: this.#at(),
      body: null,
      reason: 'A newer mail was sent instead.',
    })
    if (newest.nextAttemptAt > this.#at()) return []
    const fifthAt = newest.messageId === null ? await this.#sentAt(tx, group, mostLinks) : undefined
    if (fifthAt === undefined) return [newest]
    await defer(tx, [newest], new Date(fifthAt.getTime() + hourMs))
    return []
  }

  /** When the `nth` latest message was sent, if that was within the hour. */
  async #sentAt(tx: Db, group: Group, nth: number): Promise<Date | undefined> {
    const since = new Date(this.#now() - hourMs)
    const [row] = await tx
      .select({ at: sql<string>`max(${mails.finishedAt})` })
      .from(mails)
      .where(and(ofGroup(group), eq(mails.status, 'SENT'), gt(mails.finishedAt, since)))
      .groupBy(mails.messageId)
      .orderBy(sql`max(${mails.finishedAt}) desc`)
      .offset(nth - 1)
      .limit(1)
    return row === undefined ? undefined : new Date(row.at)
  }

  async #take(tx: Db, group: Group, rows: Row[]): Promise<Message> {
    const [first] = rows
    const messageId = first!.messageId ?? randomUUID()
    const attempts = first!.attempts + 1
    const firstAttemptAt = new Date(firstAttemptMs(first!, this.#now()))
    await setRows(tx, rows, {
      messageId,
      attempts,
      firstAttemptAt,
      sending: true,
      nextAttemptAt: new Date(this.#now() + claimMs),
    })
    const words = rows.map((row) => readWords(row, this.#vault) ?? unreadable)
    return { ...group, ...together(words), messageId, attempts, firstAttemptAt }
  }

  #at(): Date {
    return new Date(this.#now())
  }
}

const unreadable: Words = {
  subject: 'A message that cannot be read',
  text: 'This message was encrypted with another master key and can no longer be read.',
}

/** The time in which nobody tried does not count towards the time after which a mail is given up. */
function firstAttemptMs({ firstAttemptAt, nextAttemptAt }: Row, nowMs: number): number {
  if (firstAttemptAt === null) return nowMs
  return firstAttemptAt.getTime() + Math.max(0, nowMs - nextAttemptAt.getTime())
}

/** Lets only one node at a time decide about a group, until its transaction ends. */
async function lockGroup(tx: Db, { recipient, kind }: Group): Promise<boolean> {
  const [row] = await tx
    .select({
      locked: sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${`mail ${kind} ${recipient}`}, 0))`,
    })
    .from(sql`(select 1) as one`)
  return row!.locked
}

function ofGroup({ recipient, kind }: Group) {
  return and(eq(mails.recipient, recipient), eq(mails.kind, kind))
}

async function defer(tx: Db, rows: Row[], until: Date): Promise<void> {
  await setRows(tx, rows, { nextAttemptAt: until }, isNull(mails.messageId))
}

async function setRows(
  tx: Db,
  rows: Row[],
  change: Partial<typeof mails.$inferInsert>,
  condition?: ReturnType<typeof isNull>,
): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await tx
    .update(mails)
    .set(change)
    .where(and(inArray(mails.id, ids), condition))
}
