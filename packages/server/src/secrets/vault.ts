import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const formatVersion = 1
const nonceBytes = 12
const tagBytes = 16

/**
 * Encrypts secrets for the database (AES-256-GCM), and hashes those that never need to be read again. Derives a key for
 * each of the two uses from the master key, so that neither reveals anything about the other.
 */
export class Vault {
  #encryptionKey: Buffer
  #hashKey: Buffer

  constructor(masterKey: Buffer) {
    this.#encryptionKey = deriveKey(masterKey, 'encryption')
    this.#hashKey = deriveKey(masterKey, 'hash')
  }

  /** @param purpose the kind of secret, such as `api_key`; only the same purpose opens it again */
  seal(secret: string | Buffer, purpose: string): Buffer {
    const nonce = randomBytes(nonceBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#encryptionKey, nonce)
    cipher.setAAD(Buffer.from(purpose))
    const sealed = Buffer.concat([cipher.update(secret), cipher.final()])
    return Buffer.concat([Buffer.from([formatVersion]), nonce, sealed, cipher.getAuthTag()])
  }

  /** @throws if it was sealed for another purpose or with another master key, or was changed since */
  open(sealed: Buffer, purpose: string): Buffer {
    if (sealed[0] !== formatVersion) throw new Error(`A sealed secret has the unknown format ${sealed[0]}.`)
    const nonce = sealed.subarray(1, 1 + nonceBytes)
    const decipher = createDecipheriv('aes-256-gcm', this.#encryptionKey, nonce, { authTagLength: tagBytes })
    decipher.setAAD(Buffer.from(purpose))
    decipher.setAuthTag(sealed.subarray(-tagBytes))
    return Buffer.concat([decipher.update(sealed.subarray(1 + nonceBytes, -tagBytes)), decipher.final()])
  }

  /** A keyed hash of 32 bytes: without the master key, nobody can test guesses against a stolen table. */
  hash(secret: string, purpose: string): Buffer {
    return createHmac('sha256', this.#hashKey).update(purpose).update('\0').update(secret).digest()
  }
}

function deriveKey(masterKey: Buffer, use: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, '', `tickwright ${use}`, 32))
}

/**
 * Reads the master key from the data folder.
 * @param mayMake whether to create one, readable only by its owner, if there is none: only for a new installation
 */
export async function loadMasterKey(dataDir: string, mayMake: boolean): Promise<Buffer> {
  const path = join(dataDir, 'master.key')
  const text = (await readIfThere(path)) ?? (mayMake ? await makeMasterKey(path) : undefined)
  if (text === undefined) {
    throw new Error(
      `The secrets in the database are sealed with a master key, and ${path} is missing. Restore it from a backup, or set MASTER_KEY.`,
    )
  }
  if (!/^[0-9a-f]{64}$/.test(text.trim())) {
    throw new Error(`${path} does not contain a master key (64 hex digits). Restore it from a backup.`)
  }
  return Buffer.from(text.trim(), 'hex')
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Writes a draft and links it into place, so that no other process reads half a key, or creates a second one. */
async function makeMasterKey(path: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const key = randomBytes(32).toString('hex')
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  await writeFile(draft, `${key}\n`, { mode: 0o600, flag: 'wx', flush: true })
  try {
    await link(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(draft)
  }
  return readFile(path, 'utf8')
}
