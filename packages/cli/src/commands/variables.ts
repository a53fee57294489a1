import { eachOf } from '@tickwright/client'
import { askSecret, canAsk, confirmChange, inputOf } from '../ask.ts'
import type { Context } from '../context.ts'
import { wrongUse } from '../failures.ts'
import { timeOf } from './columns.ts'

type Where = { folder?: number }

/** Lists variables; nobody can read their values. */
export async function listVariables(context: Context): Promise<void> {
  const { variables } = await context.client()
  const all = []
  for await (const variable of eachOf(variables.list)) all.push(variable)
  context.out.rows(
    [
      { title: 'id', value: ({ id }) => id, isNumber: true },
      { title: 'name', value: ({ name }) => name },
      { title: 'folder', value: ({ folder_id }) => folder_id, isNumber: true },
      { title: 'changed (UTC)', value: ({ updated_at }) => timeOf(updated_at) },
    ],
    all,
    'You have no variables.',
  )
}

/**
 * Creates a variable, or changes its value, which comes from a prompt or the standard input: arguments are visible to
 * others, and stay in the history of the shell.
 */
export async function setVariable(context: Context, name: string, { folder }: Where): Promise<void> {
  const { world, out } = context
  const { variables } = await context.client()
  const existing = await variableNamed(context, name, folder)
  const value = canAsk(world)
    ? await askSecret(world, `Value of ${name}`, 'Write it to the standard input.')
    : (await inputOf(world)).replace(/\r?\n$/, '')
  if (value === '') throw wrongUse('The value is empty.')
  await confirmChange(context, `${existing === undefined ? 'create' : 'change'} the variable ${name}`)
  const saved =
    existing === undefined
      ? await variables.create({ name, value, ...(folder !== undefined && { folder_id: folder }) })
      : await variables.update(existing.id, { value })
  out.record(saved, [
    ['variable', saved.name],
    ['id', saved.id],
    ['folder', saved.folder_id],
  ])
}

export async function deleteVariable(context: Context, name: string, { folder }: Where): Promise<void> {
  const { variables } = await context.client()
  const existing = await variableNamed(context, name, folder)
  if (existing === undefined)
    throw wrongUse(`You have no variable '${name}'${folder === undefined ? '' : ` in folder ${folder}`}.`)
  const { uses } = await variables.uses(existing.id)
  const readers = uses.map(({ id, name }) => `${id} (${name})`).join(', ')
  const risk = readers === '' ? undefined : `These strategies read it: ${readers}.`
  await confirmChange(context, `delete the variable ${name}`, risk)
  await variables.delete(existing.id)
  context.out.say(`Deleted ${name}.`)
}

async function variableNamed(context: Context, name: string, folder: number | undefined) {
  const { variables } = await context.client()
  for await (const variable of eachOf(variables.list)) {
    if (variable.name === name && variable.folder_id === (folder ?? null)) return variable
  }
  return undefined
}
