import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const formatVersion = 1
const nonceBytes = 12
const tagBytes = 16

/**
 * Seals secrets for the database (AES-256-GCM), and hashes those that never need to be read again. Its keys
 * are derived from the master key, one for each use, so that neither use tells anything of the other.
 */
export class Vault {
  #encryptionKey: Buffer
  #hashKey: Buffer

  constructor(masterKey: Buffer) {
    this.#encryptionKey = deriveKey(masterKey, 'encryption')
    this.#hashKey = deriveKey(masterKey, 'hash')
  }

  /** @param purpose what the secret is, such as `api_key`; only the same purpose opens it again */
  seal(secret: string | Buffer, purpose: string): Buffer {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#encryptionKey, nonce)
    cipher.setAAD(Buffer.from(purpose))
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
    return Buffer.concat([Buffer.from([formatVersion]), nonce, sealed, cipher.getAuthTag()])
  }

  /** @throws when it was sealed for another purpose, under another master key, or was changed since */
  open(sealed: Buffer, purpose: string): Buffer {
    if (sealed[0] !== formatVersion) throw new Error(`A sealed secret has the unknown format ${sealed[0]}.`)
    const nonce = sealed.subarray(1, 1 + nonceBytes)
    const decipher = createDecipheriv('aes-256-gcm', this.#encryptionKey, nonce, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(purpose))
    decipher.setAuthTag(sealed.subarray(-tagBytes))
    return Buffer.concat([decipher.update(sealed.subarray(1 + nonceBytes, -tagBytes)), decipher.final()])
  }

  /** A keyed hash of 32 bytes: without the master key a stolen table cannot even be guessed at. */
  hash(secret: string, purpose: string): Buffer {
    return createHmac('sha256', this.#hashKey).update(purpose).update('\0').update(secret).digest()
  }
}

function deriveKey(masterKey: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `tickwright ${use}`, 32))
}

/** Reads the master key from the data folder; the first time it makes one, readable by its owner alone. */
export async function loadMasterKey(dataDir: string): Promise<Buffer> {
  const path = join(dataDir, 'master.key')
  try {
    const file = await open(path, 'wx', 0o600)
    try {
      const key = randomBytes(32)
      await file.writeFile(`${key.toString('hex')}\n`)
      await file.sync()
      return key
    } finally {
      await file.close()
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
  const text = (await readFile(path, 'utf8')).trim()
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new Error(`${path} does not hold a master key (64 hex digits). Restore it from a backup.`)
  }
  return Buffer.from(text, 'hex')
}
