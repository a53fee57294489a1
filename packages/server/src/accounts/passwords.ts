import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError, invalidField } from '../base/errors.ts'
import { Semaphore } from '../base/semaphore.ts'

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

type PasswordCost = { N: number; r: number; p: number }

/** OWASP's recommendation for scrypt: 2^17 rounds of 1 KiB (128 MiB), one lane. */
const recommendedCost = 17
const costOf = (logarithm: number): PasswordCost => ({ N: 2 ** logarithm, r: 8, p: 1 })
const hashBytes = 32

const leastCharacters = 12
const mostBytes = 1024

/** Each takes 128 MiB, and one of the four threads that Node also uses for files and DNS. */
const hashesAtOnce = 2
const hashesWaiting = 16

/** Hashes passwords, a few at a time: sign-ins must leave memory and threads for everything else. */
export class Passwords {
  #cost: PasswordCost
  #places = new Semaphore(hashesAtOnce)
  #open = 0

  /** @param cost binary logarithm of the number of scrypt rounds */
  constructor(cost = recommendedCost) {
    this.#cost = costOf(cost)
  }

  /** @throws {AppError} 503 if too many are already waiting */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hashPassword(password, this.#cost))
  }

  /**
   * Takes the same time whether there is a stored hash or not.
   * @throws {AppError} 503 if too many are already waiting
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const fits = await this.#inTurn(async () => {
      const fits = await verifyPassword(password, stored || unmatchableHash(this.#cost))
      if (stored) await this.#addMissingCost(password, stored)
      return fits
    })
    return fits && Boolean(stored)
  }

  /** Does the missing work for a hash with a lower cost, whose shorter time would reveal that it exists. */
  async #addMissingCost(password: string, stored: string): Promise<void> {
    // The costs N, N, 2N, 4N … up to half of the full cost add up to the full cost.
    for (let N = Number(stored.split('$')[1]); N > 1 && N < this.#cost.N; N *= 2) {
      await derive(password, randomBytes(16), { ...this.#cost, N })
    }
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#open >= hashesAtOnce + hashesWaiting) {
      throw new AppError('service_unavailable', 'Too many sign-ins at once. Try again in a moment.', {
        retryAfterSeconds: 2,
      })
    }
    this.#open++
    const release = await this.#places.acquire()
    try {
      return await work()
    } finally {
      release()
      this.#open--
    }
  }
}

/** @throws {AppError} 400 if the password is too short or too long */
export function checkNewPassword(password: string, field = 'password'): void {
  if ([...password].length < leastCharacters) {
    throw invalidField(field, `must have at least ${leastCharacters} characters`)
  }
  if (Buffer.byteLength(password.normalize('NFKC')) > mostBytes) {
    throw invalidField(field, `must have at most ${mostBytes} bytes in UTF-8`)
  }
}

/** @returns `scrypt$N$r$p$salt$hash`, salt and hash in Base64url */
export async function hashPassword(password: string, cost = costOf(recommendedCost)): Promise<string> {
  const salt = randomBytes(16)
  return format(cost, salt, await derive(password, salt, cost))
}

export async function verifyPassword(password: string, stored: string): Promise<boolean> {
  const [scheme, n, r, p, salt, hash] = stored.split('$')
  if (scheme !== 'scrypt' || salt === undefined || hash === undefined) return false
  const expected = Buffer.from(hash, 'base64url')
  const given = await derive(password, Buffer.from(salt, 'base64url'), {
    N: Number(n),
    r: Number(r),
    p: Number(p),
  })
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** A hash that no password matches. */
function unmatchableHash(cost: PasswordCost): string {
  return format(cost, randomBytes(16), randomBytes(hashBytes))
}

function format({ N, r, p }: PasswordCost, salt: Buffer, hash: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')
}

function derive(password: string, salt: Buffer, parameters: PasswordCost): Promise<Buffer> {
  return scryptAsync(password.normalize('NFKC'), salt, hashBytes, {
    ...parameters,
    maxmem: 256 * parameters.N * parameters.r,
  })
}
