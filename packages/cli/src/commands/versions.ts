import { eachOf } from '@tickwright/client'
import type { Context } from '../context.ts'
import { strategyNamed } from '../things.ts'
import { timeOf } from './columns.ts'
import { first } from './looking.ts'

/** The versions of a strategy of any type, newest first: what each changed, who saved it, and why. */
export async function versions(context: Context, name: string, { limit }: { limit: number }): Promise<void> {
  const { id, namespace } = await strategyNamed(context, name)
  const found = await first(
    eachOf((part: { page?: number; limit: number }) => namespace.versions(id, part)),
    limit,
  )
  context.out.rows(
    [
      { title: 'version', value: ({ version }) => version, isNumber: true },
      { title: 'saved (UTC)', value: ({ saved_at }) => timeOf(saved_at) },
      { title: 'by', value: ({ saved_by }) => saved_by?.via },
      { title: 'changed', value: ({ changed }) => changed.join(', ') },
      { title: 'reason', value: ({ reason }) => reason },
    ],
    found,
    'It has no versions.',
  )
}
