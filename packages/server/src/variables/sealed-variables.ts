import type { Vault } from '../secrets/vault.ts'

/** A variable as it is stored. Only the vault can open its value. */
export type SealedVariable = { name: string; value: Buffer }

/** Binds a value to its account and name. In any other row, it cannot be opened. */
export function sealPurpose(userId: number, name: string): string {
  return `variable ${userId} ${name}`
}

/**
 * SQL of one value, for {@link readSealedVariables}: the variables that apply in a folder. Variables of nearer folders
 * come later.
 * @param userId SQL for the account
 * @param folder alias of a row of `folders`; its columns are null if there is no folder
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

/** Keeps one variable per name: that of the nearest folder, or the global one if no folder has it. */
export function readSealedVariables(text: string | null): SealedVariable[] {
  if (text === null) return []
  const rows = JSON.parse(text) as [name: string, value: string][]
  return [...new Map(rows)].map(([name, value]) => ({ name, value: Buffer.from(value, 'base64') }))
}

/**
 * Opens the values, for `$.Env`.
 * @throws {UnreadableVariable} if a value was not sealed for this account and name
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
