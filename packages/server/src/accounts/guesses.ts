import { eq, type SQL, sql } from 'drizzle-orm'
import ipaddr from 'ipaddr.js'
import { AppError } from '../base/errors.ts'
import type { Database, Db } from '../db/database.ts'
import { guesses } from '../db/schema.ts'
import type { Vault } from '../secrets/vault.ts'

/** Something that can be guessed, or asked for too often. */
export type Subject = { kind: SubjectKind; value: string }
/** Subjects whose value is the address that a request comes from. */
export type AddressKind = 'address' | 'mail_address' | 'token'
type SubjectKind = keyof typeof freeGuesses

/** Free guesses within 15 minutes. An address has more, because many users can share it. */
const freeGuesses = {
  password: 5,
  code: 5,
  address: 20,
  mail: 5,
  mail_address: 20,
  token: 20,
  email_change: 5,
} as const

const longestLockSeconds = 900

/** A guess that was counted. */
export type Guess = {
  /** Whether this was the last free guess for `kind`: if it is wrong, the next one must wait. */
  locks(kind: SubjectKind): boolean
  /** The guess was right: its subject starts again from zero, and its address is not charged for it. */
  right(): Promise<void>
  /** It does not count: it could not be checked. */
  withdraw(): Promise<void>
}

/** Checks a guess. It does not count if the check itself fails. */
export async function whileGuessing<Result>(guess: Guess, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check()
  } catch (error) {
    await guess.withdraw()
    throw error
  }
}

/**
 * Slows down guessing, on all nodes together. After the free guesses, each further one must wait: 1, 2, 4 s and so on,
 * at most 900 s. A guess counts before it is checked, so that parallel guesses gain nothing.
 */
export class Guesses {
  #database: Database
  #vault: Vault

  constructor(database: Database, vault: Vault) {
    this.#database = database
    this.#vault = vault
  }

  /** @throws {AppError} 429 with the time to wait; then nothing is counted */
  async begin(subjects: readonly Subject[]): Promise<Guess> {
    const counts: { subject: Subject; count: number }[] = []
    for (const subject of subjects) {
      const count = await this.#count(subject)
      if (count === undefined) {
        await this.#refund(counts.map((counted) => counted.subject))
        throw locked(await this.#secondsLeft(subject))
      }
      counts.push({ subject, count })
    }
    return {
      locks: (kind) =>
        counts.some(({ subject, count }) => subject.kind === kind && count === freeGuesses[kind]),
      right: async () => {
        for (const subject of subjects) {
          if (isAddress(subject)) await this.#refund([subject])
          else await this.forget(subject)
        }
      },
      withdraw: () => this.#refund(subjects),
    }
  }

  /**
   * Refuses a request that can only wait, before its body is read.
   * @throws {AppError} 429 with the time to wait, if every one of the subjects must wait; nothing is counted
   */
  async refuseLocked(subjects: readonly Subject[]): Promise<void> {
    const waits = await Promise.all(subjects.map((subject) => this.#secondsLeft(subject)))
    const shortest = Math.min(...waits)
    if (shortest > 0) throw locked(shortest)
  }

  /** Ends a lock and deletes the count that led to it. */
  async forget(subject: Subject, tx: Db = this.#database.db): Promise<void> {
    await tx.delete(guesses).where(eq(guesses.subject, this.#hash(subject)))
  }

  /**
   * Writes a number of times and changes nothing. The caller uses it for an address without an account, instead of the
   * writes for one with an account, so that the database is equally busy. The subject must have been counted before.
   */
  async rehearse(subject: Subject, writes: number, tx: Db): Promise<void> {
    for (let count = 0; count < writes; count++) {
      await tx
        .update(guesses)
        .set({ lastAt: sql`${guesses.lastAt}` })
        .where(eq(guesses.subject, this.#hash(subject)))
    }
  }

  /** @returns the number of guesses including this one, or `undefined` if it must wait */
  async #count({ kind, value }: Subject): Promise<number | undefined> {
    const free = freeGuesses[kind]
    const next = nextCount(free)
    const [row] = await this.#database.db
      .insert(guesses)
      .values({ subject: this.#hash({ kind, value }), count: 1, lastAt: sql`now()` })
      .onConflictDoUpdate({
        target: guesses.subject,
        set: {
          count: next,
          lastAt: sql`now()`,
          lockedUntil: sql`case when ${next} >= ${free} then now() + make_interval(secs =>
            least(power(2, least(${next} - ${free}, 20)), ${longestLockSeconds})) end`,
        },
        setWhere: sql`${guesses.lockedUntil} is null or ${guesses.lockedUntil} <= now()`,
      })
      .returning({ count: guesses.count })
    return row?.count
  }

  async #refund(subjects: readonly Subject[]): Promise<void> {
    for (const { kind, value } of subjects) {
      await this.#database.db
        .update(guesses)
        .set({
          count: sql`greatest(${guesses.count} - 1, 0)`,
          lockedUntil: sql`case when ${guesses.count} > ${freeGuesses[kind]} then ${guesses.lockedUntil} end`,
        })
        .where(eq(guesses.subject, this.#hash({ kind, value })))
    }
  }

  /** 0 if it need not wait. */
  async #secondsLeft(subject: Subject): Promise<number> {
    const left = sql<number>`extract(epoch from ${guesses.lockedUntil} - now())::float8`
    const [row] = await this.#database.db
      .select({ left })
      .from(guesses)
      .where(eq(guesses.subject, this.#hash(subject)))
    return Math.max(0, Number(row?.left ?? 0))
  }

  /** Keyed, so that a stolen table does not reveal who has an account. */
  #hash({ kind, value }: Subject): Buffer {
    return this.#vault.hash(isAddress({ kind, value }) ? network(value) : value, `guess.${kind}`)
  }
}

function locked(secondsLeft: number): AppError {
  const retryAfterSeconds = Math.max(1, Math.ceil(secondsLeft))
  return new AppError('auth_locked', `Too many attempts. Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}

/** A count starts again 15 minutes after the last guess, or a day after it if there was a lock. */
function nextCount(free: number): SQL {
  return sql`(case when ${guesses.lastAt} < now() -
    (case when ${guesses.count} >= ${free} then interval '1 day' else interval '15 minutes' end)
    then 1 else ${guesses.count} + 1 end)`
}

function isAddress({ kind }: Subject): boolean {
  return kind === 'address' || kind === 'mail_address' || kind === 'token'
}

/** Anyone with one IPv6 address usually has all that begin with the same 64 bits. */
function network(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip
  const address = ipaddr.process(ip)
  return address.kind() === 'ipv6' ? (address as ipaddr.IPv6).parts.slice(0, 4).join(':') : address.toString()
}
