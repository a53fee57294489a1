import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const scryptAsync = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt)

/** OWASP's recommendation for scrypt: 2^17 rounds of 8 KiB (128 MiB), one lane. */
const cost = { N: 2 ** 17, r: 8, p: 1 }
const hashBytes = 32

/** @returns `scrypt$N$r$p$salt$hash`, salt and hash in Base64url */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await derive(password, salt, cost)
  return ['scrypt', cost.N, cost.r, cost.p, salt.toString('base64url'), hash.toString('base64url')].join('$')
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

function derive(password: string, salt: Buffer, parameters: typeof cost): Promise<Buffer> {
  return scryptAsync(password.normalize('NFKC'), salt, hashBytes, {
    ...parameters,
    maxmem: 256 * parameters.N * parameters.r,
  })
}
