import { forbiddenIdentifiers } from '@tickwright/sandbox'
import { and, asc, eq, getTableColumns, isNull, type SQL, sql } from 'drizzle-orm'
import { type Note, noNote } from '../accounts/audit-log.ts'
import { AppError, invalidField, notFound } from '../base/errors.ts'
import { lockAccount } from '../db/account-lock.ts'
import type { Database, Db, PreparedStatement } from '../db/database.ts'
import { variables } from '../db/schema.ts'
import { renewAll } from '../db/strategy-versions.ts'
import type { UserLimits } from '../db/user-limits.ts'
import { holdFolder } from '../folders/folders.ts'
import type { Vault } from '../secrets/vault.ts'
import { openVariables, readSealedVariables, sealedVariablesSql, sealPurpose } from './sealed-variables.ts'

const valueByteLimit = 16 * 1024
/** The limit for all variables of an account together. Each strategy that runs has its variables in memory. */
const totalByteLimit = 256 * 1024

const applyingSql = `
select ${sealedVariablesSql('$1::bigint', 'f')}
from (select) nothing left join folders f on f.id = $2::bigint and f.user_id = $1::bigint`

const { value: _value, valueBytes: _valueBytes, ...shown } = getTableColumns(variables)

/** A variable without its value, which the service shows to nobody. */
export type Variable = Omit<typeof variables.$inferSelect, 'value' | 'valueBytes'>

/** `folderId: null`: the variable applies to all strategies of the account. */
export type VariableSettings = { name: string; value: string; folderId: number | null }

/** The filters of a list of variables. */
export type VariableFilter = { folderId?: number }

export type VariablesParts = {
  database: Database
  vault: Vault
  limits: UserLimits
  /** Called for every change, so that the next run of each strategy of the account sees it. */
  onChange(userId: number): Promise<void>
}

/** The environment variables of all users, which code reads from `$.Env`. Another user's variable is not found. */
export class Variables {
  #database: Database
  #vault: Vault
  #limits: UserLimits
  #onChange: VariablesParts['onChange']
  #readApplying: PreparedStatement

  constructor({ database, vault, limits, onChange }: VariablesParts) {
    this.#database = database
    this.#vault = vault
    this.#limits = limits
    this.#onChange = onChange
    this.#readApplying = database.prepare('read_variables', applyingSql)
  }

  /** @throws {AppError} 409 if the name is taken, or there are too many variables */
  async create(userId: number, settings: VariableSettings, note: Note = noNote): Promise<Variable> {
    checkName(settings.name)
    checkValue(settings.value)
    const variable = await this.#database.db.transaction(async (tx) => {
      await this.#limits.demandRoom(tx, userId, 'variables')
      await holdFolder(tx, userId, settings.folderId)
      await checkFree(tx, userId, settings)
      const [row] = await tx
        .insert(variables)
        .values({ ...settings, userId, ...this.#seal(userId, settings.name, settings.value) })
        .returning(shown)
      await checkTotals(tx, userId)
      await renewAll(tx, userId)
      await noteVariable(note, tx, row!)
      return row!
    })
    await this.#onChange(userId)
    return variable
  }

  async get(userId: number, id: number): Promise<Variable> {
    const [row] = await this.#database.db.select(shown).from(variables).where(own(userId, id))
    if (row === undefined) throw notFound('environment variable', id)
    return row
  }

  list(
    userId: number,
    window: { limit: number; offset: number },
    filter: VariableFilter = {},
  ): Promise<Variable[]> {
    return this.#database.db
      .select(shown)
      .from(variables)
      .where(matching(userId, filter))
      .orderBy(asc(variables.id))
      .limit(window.limit)
      .offset(window.offset)
  }

  count(userId: number, filter: VariableFilter = {}): Promise<number> {
    return this.#database.db.$count(variables, matching(userId, filter))
  }

  /** Fields that are left out stay as they are. */
  async change(
    userId: number,
    id: number,
    changes: Partial<VariableSettings>,
    note: Note = noNote,
  ): Promise<Variable> {
    if (changes.name !== undefined) checkName(changes.name)
    if (changes.value !== undefined) checkValue(changes.value)
    const variable = await this.#database.db.transaction(async (tx) => {
      await lockAccount(tx, userId)
      const [current] = await tx.select().from(variables).where(own(userId, id))
      if (current === undefined) throw notFound('environment variable', id)
      const { name, folderId } = { ...current, ...changes }
      await holdFolder(tx, userId, changes.folderId)
      await checkFree(tx, userId, { name, folderId }, id)
      const value = changes.value ?? this.#open(userId, current)
      const [row] = await tx
        .update(variables)
        .set({ name, folderId, ...this.#seal(userId, name, value), updatedAt: sql`now()` })
        .where(own(userId, id))
        .returning(shown)
      await checkTotals(tx, userId)
      await renewAll(tx, userId)
      await noteVariable(note, tx, row!)
      return row!
    })
    await this.#onChange(userId)
    return variable
  }

  async delete(userId: number, id: number, note: Note = noNote): Promise<void> {
    await this.#database.db.transaction(async (tx) => {
      const [gone] = await tx.delete(variables).where(own(userId, id)).returning(shown)
      if (gone === undefined) throw notFound('environment variable', id)
      await renewAll(tx, userId)
      await noteVariable(note, tx, gone)
    })
    await this.#onChange(userId)
  }

  /**
   * Reads the content of `$.Env` for code in this folder, or in no folder.
   * @throws {AppError} 400 if the account has no such folder
   */
  async applying(userId: number, folderId: number | null): Promise<Record<string, string>> {
    await holdFolder(this.#database.db, userId, folderId)
    const [row] = await this.#readApplying([userId, folderId])
    return openVariables(this.#vault, userId, readSealedVariables(row![0]!))
  }

  #seal(userId: number, name: string, value: string): { value: Buffer; valueBytes: number } {
    return { value: this.#vault.seal(value, sealPurpose(userId, name)), valueBytes: Buffer.byteLength(value) }
  }

  #open(userId: number, { name, value }: { name: string; value: Buffer }): string {
    return openVariables(this.#vault, userId, [{ name, value }])[name]!
  }
}

function noteVariable(note: Note, tx: Db, { id, name }: Variable): Promise<void> {
  return note(tx, { variable_id: id, name })
}

function own(userId: number, id: number): SQL | undefined {
  return and(eq(variables.id, id), eq(variables.userId, userId))
}

function matching(userId: number, { folderId }: VariableFilter): SQL | undefined {
  return and(
    eq(variables.userId, userId),
    folderId === undefined ? undefined : eq(variables.folderId, folderId),
  )
}

function checkName(name: string): void {
  if (forbiddenIdentifiers.includes(name) || name === '__proto__') {
    throw invalidField('name', 'is forbidden in code, so no code could read the variable')
  }
}

function checkValue(value: string): void {
  const sizeBytes = Buffer.byteLength(value)
  if (sizeBytes > valueByteLimit) {
    throw invalidField('value', `may have at most ${valueByteLimit} bytes of UTF-8, but has ${sizeBytes}`)
  }
}

/** @param exceptId the variable that changes, which may keep its name */
async function checkFree(
  tx: Db,
  userId: number,
  { name, folderId }: { name: string; folderId: number | null },
  exceptId?: number,
): Promise<void> {
  const [other] = await tx
    .select({ id: variables.id })
    .from(variables)
    .where(
      and(
        eq(variables.userId, userId),
        eq(variables.name, name),
        folderId === null ? isNull(variables.folderId) : eq(variables.folderId, folderId),
      ),
    )
  if (other === undefined || other.id === exceptId) return
  const where = folderId === null ? 'without a folder' : `in the folder ${folderId}`
  throw new AppError('resource_conflict', `An environment variable ${name} ${where} already exists.`, {
    details: [{ field: 'body.name', message: 'is taken', id: other.id }],
  })
}

/** Call it after the change, in the same transaction. */
async function checkTotals(tx: Db, userId: number): Promise<void> {
  const [total] = await tx
    .select({ bytes: sql<string>`sum(${variables.valueBytes})` })
    .from(variables)
    .where(eq(variables.userId, userId))
  if (Number(total!.bytes) > totalByteLimit) {
    throw new AppError(
      'resource_conflict',
      `The values of all environment variables of an account may have at most ${totalByteLimit} bytes in total.`,
    )
  }
}
