import { queryOptions } from '@tanstack/react-query'
import type { SignalBotInList } from '@tickwright/client'
import { eachOf } from '@tickwright/client'
import { allOf } from '../../data/all-of.ts'
import { client } from '../../data/client.ts'
import { Mode } from '../../parts/Marks.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './strategies.module.css'

/** The user's bots that get the signals of a webhook. */
export function botsBehindQuery(webhookId: number | null) {
  return queryOptions({
    queryKey: ['bots', 'behind', webhookId],
    queryFn: async (): Promise<SignalBotInList[]> => {
      const all = await allOf(eachOf(client.bots.signal.list))
      return all.filter((bot) => bot.webhook_id === webhookId)
    },
    enabled: webhookId !== null,
  })
}

/** Bots by name and mode, at most ten of them. */
export function BotNames({ bots }: { bots: readonly SignalBotInList[] }) {
  return (
    <>
      {bots.slice(0, 10).map((bot) => (
        <span key={bot.id} className={styles.inline}>
          <Foreign text={bot.name || `Bot ${bot.id}`} /> <Mode mode={bot.mode} demo={bot.demo} />{' '}
        </span>
      ))}
      {bots.length > 10 && `and ${bots.length - 10} more`}
    </>
  )
}
