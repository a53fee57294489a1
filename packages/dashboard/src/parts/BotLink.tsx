import { Link } from '@tanstack/react-router'
import { botNamesQuery } from '../data/bot-names.ts'
import { useQuery } from '../data/use-query.ts'
import { Mode } from './Marks.tsx'
import { Foreign } from './Values.tsx'

/** The mode and the name of a bot, as a link to it. A deleted bot has only its number. */
export function BotLink({ id }: { id: number }) {
  const { data: bots } = useQuery(botNamesQuery)
  const bot = bots?.get(id)
  if (bot === undefined && bots !== undefined) return <>Bot {id}, deleted</>
  return (
    <>
      {bot !== undefined && <Mode mode={bot.mode} demo={bot.demo} />}{' '}
      <Link to="/bots/$id" params={{ id: String(id) }}>
        {bot === undefined ? `Bot ${id}` : <Foreign text={bot.name} />}
      </Link>
    </>
  )
}
