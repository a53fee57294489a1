import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Facts } from '../../parts/Facts.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Empty, Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Page, Section } from '../../parts/Page.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import { type BotWithoutVenue, botsWithoutVenueQuery } from './bots.ts'
import type { WithoutVenueSearch } from './search.ts'

export const Route = createLazyRoute('/signed-in/bots/without-venue')({ component: BotsWithoutVenue })

/** Bots for prediction markets and DEXes, which are prepared and cannot be on. The API makes and changes them. */
function BotsWithoutVenue() {
  const { bot, folder } = Route.useSearch() as WithoutVenueSearch
  const { data, error, refetch } = useQuery(botsWithoutVenueQuery)
  const [leaving, setLeaving] = useState<BotWithoutVenue | null>(null)
  const shown = data?.bots.filter(
    ({ id, folder_id }) =>
      (bot === undefined || id === bot) && (folder === undefined || folder_id === folder),
  )
  const isFiltered = bot !== undefined || folder !== undefined
  const folderName = folder === undefined ? undefined : data?.folders.get(folder)
  return (
    <Page
      title={folderName === undefined ? 'Bots without a venue' : <Foreign text={folderName} />}
      tabTitle="Bots without a venue"
      parent={<Link to="/bots">Bots</Link>}
      actions={isFiltered && <Link to="/bots/without-venue">Show all</Link>}
    >
      <Notice tone="info">
        The service cannot trade on prediction markets and DEXes yet. These bots are kept, but none of them
        can be switched on, and signals do not reach them. You make and change them through the API.
      </Notice>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {shown === undefined && error === null && <Skeleton />}
      {shown?.length === 0 && (
        <Empty title="No bot here">
          {isFiltered ? 'The bot may have been deleted, or the folder is empty.' : 'There is none yet.'}
        </Empty>
      )}
      {shown?.map((each) => (
        <Section
          key={each.id}
          title={<Foreign text={each.name || `Bot ${each.id}`} />}
          actions={<Button onClick={() => setLeaving(each)}>Delete</Button>}
        >
          <Facts facts={factsOf(each, data!)} />
        </Section>
      ))}
      {leaving !== null && <DeleteDialog bot={leaving} onClose={() => setLeaving(null)} />}
    </Page>
  )
}

type Names = { folders: ReadonlyMap<number, string>; exchanges: ReadonlyMap<number, string> }

function factsOf(bot: BotWithoutVenue, { folders, exchanges }: Names): [string, ReactNode][] {
  const { exchange_id, webhook_id, folder_id, delay_seconds, created_at } = bot
  return [
    ['Kind', bot.type === 'signal-dex' ? 'DEX' : 'Prediction market'],
    ['Exchange', exchanges.get(exchange_id) ?? `Exchange ${exchange_id}`],
    ...ownFactsOf(bot),
    [
      'Bot webhook',
      webhook_id === null ? (
        'none'
      ) : (
        <Link key="webhook" to="/webhooks/$kind/$id" params={{ kind: 'bot', id: String(webhook_id) }}>
          Webhook {webhook_id}
        </Link>
      ),
    ],
    [
      'Folder',
      folder_id === null ? (
        'none'
      ) : (
        <Link key="folder" to="/bots/without-venue" search={{ folder: folder_id }}>
          <Foreign text={folders.get(folder_id) ?? `Folder ${folder_id}`} />
        </Link>
      ),
    ],
    ['Delay', `${delay_seconds} s`],
    ['Created', <Time key="created" at={created_at} />],
  ]
}

function ownFactsOf(bot: BotWithoutVenue): [string, ReactNode][] {
  if (bot.type === 'signal-dex') {
    return [
      ['Chain', bot.chain_id],
      ['Address', <Foreign key="address" text={bot.address ?? 'none'} />],
      ['Symbols', <Foreign key="symbols" text={bot.symbol ?? 'all that it gets'} />],
    ]
  }
  return [
    ['Market', <Foreign key="market" text={bot.slug ?? 'the one that each signal names'} />],
    ['Amount', <Value key="amount" value={bot.amount} />],
    ['Connection', bot.connection_id === null ? 'none' : `Connection ${bot.connection_id}`],
  ]
}

function DeleteDialog({ bot, onClose }: { bot: BotWithoutVenue; onClose: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const send = async () => {
    await (bot.type === 'signal-dex' ? client.bots.dex : client.bots.prediction).delete(bot.id)
    onClose()
    void navigate({ to: '/bots/without-venue', replace: true })
    void queries.invalidateQueries({ queryKey: ['bots'] })
  }
  return (
    <FormDialog title="Delete this bot" word="Delete" look="danger" onSend={send} onClose={onClose}>
      <p>
        <Foreign text={bot.name || `Bot ${bot.id}`} /> holds nothing, because it was never on. Nobody can undo
        this.
      </p>
    </FormDialog>
  )
}
