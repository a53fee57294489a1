import type { Vault } from '../secrets/vault.ts'

/** A variable as it is stored: only the vault can tell its value. */
export type SealedVariable = { name: string; value: Buffer }

/** Binds a value to its account and name: in any other row it does not open. */
export function sealPurpose(userId: number, name: string): string {
  return `variable ${userId} ${name}`
}

/**
 * SQL of one value, for {@link readSealedVariables}: the variables that apply in a folder, those of a nearer one
 * later.
 * @param userId SQL of the account
 * @param folder alias of a row of `folders`, which is all null where there is no folder
 */
export function sealedVariablesSql(userId: string, folder: string): string {
  const path = `(${folder}.ancestors || ${folder}.id)`
  return `(
    select json_agg(json_build_array(v.name, encode(v.value, 'base64'))
      order by coalesce(array_position(${path}, v.folder_id), 0))
    from variables v
    where v.user_id = ${userId} and (v.folder_id is null or v.folder_id = any(${path}))
  )`
}

/** One variable a name: of several, that of the nearest folder; a global one where no folder has it. */
export function readSealedVariables(text: string | null): SealedVariable[] {
  if (text === null) return []
  const rows = JSON.parse(text) as [name: string, value: string][]
  return [...new Map(rows)].map(([name, value]) => ({ name, value: Buffer.from(value, 'base64') }))
}

/**
 * What `$.Env` holds.
 * @throws {UnreadableVariable} when a value was not sealed for this account and name
 */
export function openVariables(
  vault: Vault,
  userId: number,
  variables: readonly SealedVariable[],
): Record<string, string> {
  return Object.fromEntries(
    variables.map(({ name, value }) => {
      try {
        return [name, vault.open(value, sealPurpose(userId, name)).toString()]
      } catch (cause) {
        throw new UnreadableVariable(name, cause)
      }
    }),
  )
}

export class UnreadableVariable extends Error {
  override name = 'UnreadableVariable'

  constructor(variable: string, cause: unknown) {
    super(`The environment variable ${variable} cannot be read; set its value again.`, { cause })
  }
}
