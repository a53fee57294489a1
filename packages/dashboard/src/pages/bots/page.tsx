import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import type { Position, SignalBotInList } from '@tickwright/client'
import { useCallback, useMemo, useState } from 'react'
import { count } from '../../base/numbers.ts'
import { plainText } from '../../base/text.ts'
import { useIsPhone } from '../../base/use-media.ts'
import { client } from '../../data/client.ts'
import { positionsQuery } from '../../data/positions.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ButtonLink } from '../../parts/ButtonLink.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { FolderBar } from '../../parts/folders/FolderBar.tsx'
import { type FolderPlace, MoveDialog, NewFolder } from '../../parts/folders/FolderDialogs.tsx'
import { FolderFilter } from '../../parts/folders/FolderFilter.tsx'
import { FolderSplit } from '../../parts/folders/FolderSplit.tsx'
import { FolderTree } from '../../parts/folders/FolderTree.tsx'
import { MoveButton } from '../../parts/folders/MoveButton.tsx'
import { countsOf, type Placed, treeOf } from '../../parts/folders/tree.ts'
import { Mode, Status } from '../../parts/Marks.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { type Column, Rows, rowLinkClass } from '../../parts/Rows.tsx'
import { Foreign, Time, Value } from '../../parts/Values.tsx'
import { botFoldersQuery, botsQuery, botsWithoutVenueCountQuery } from './bots.ts'
import { Holds } from './Holds.tsx'
import { type BotFilters, filterBots, modeChoices, statusChoices } from './search.ts'
import { amountUnit } from './settings.ts'

export const Route = createLazyRoute('/signed-in/bots')({ component: Bots })

/** All bots, by folder. */
function Bots() {
  const filters = Route.useSearch() as BotFilters
  const navigate = useNavigate()
  const isPhone = useIsPhone()
  const { data, error, refetch } = useQuery(botsQuery)
  const { data: folders } = useQuery(botFoldersQuery)
  const [dialog, setDialog] = useState<'folder' | SignalBotInList | null>(null)
  const place = useFolderPlace()
  const tree = useMemo(() => treeOf(folders ?? []), [folders])
  const shown = useMemo(() => filterBots(data ?? [], folders ?? [], filters), [data, folders, filters])
  const counts = useMemo(() => countsOf(data ?? []), [data])
  const change = useCallback(
    (changed: { [Name in keyof BotFilters]?: BotFilters[Name] | undefined }) => {
      const search = Object.fromEntries(
        Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== undefined),
      )
      void navigate({ to: '/bots', search: search as BotFilters, replace: true })
    },
    [filters, navigate],
  )
  const changeText = useCallback((q: string | undefined) => change({ q }), [change])
  const chosen = tree.find(({ id }) => id === filters.folder)
  const { folder: _, ...others } = filters
  const close = () => setDialog(null)
  const newBot = (
    <ButtonLink look="primary" to="/bots/new" search={chosen === undefined ? {} : { folder: chosen.id }}>
      New bot
    </ButtonLink>
  )
  const isEmpty = data?.length === 0 && tree.length === 0
  const { data: positions } = useQuery(positionsQuery)
  const held = useMemo(() => positions && Map.groupBy(positions, ({ bot_id }) => bot_id), [positions])
  return (
    <Page
      title="Bots"
      isFull
      actions={
        data !== undefined &&
        !isEmpty && (
          <>
            <Button onClick={() => setDialog('folder')}>New folder</Button>
            {newBot}
          </>
        )
      }
      filters={
        !isEmpty && (
          <>
            {tree.length > 0 && isPhone && (
              <FolderFilter tree={tree} chosen={filters.folder} onChange={(folder) => change({ folder })} />
            )}
            <ChoiceFilter
              label="Mode"
              all="Any mode"
              choices={modeChoices}
              value={filters.mode}
              onChange={(mode) => change({ mode })}
            />
            <ChoiceFilter
              label="Status"
              all="Any status"
              choices={statusChoices}
              value={filters.status}
              onChange={(status) => change({ status })}
            />
            <TextFilter label="Name or symbol" value={filters.q} onChange={changeText} />
            <WithoutVenue />
          </>
        )
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton lines={4} />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )
      ) : isEmpty ? (
        <Empty title="No bot yet" action={newBot}>
          A bot follows the signals of a bot webhook with orders, on paper or live. <WithoutVenue />
        </Empty>
      ) : (
        <FolderSplit
          tree={
            tree.length > 0 &&
            !isPhone && (
              <FolderTree
                folders={tree}
                counts={counts}
                chosen={filters.folder}
                link={(folder, look) => (
                  <Link to="/bots" search={folder === undefined ? others : { ...others, folder }} {...look} />
                )}
              />
            )
          }
          bar={
            chosen !== undefined && <FolderBar folder={chosen} tree={tree} counts={counts} place={place} />
          }
        >
          {shown.length === 0 ? (
            <NothingFits isFolder={chosen !== undefined && Object.keys(others).length === 0} />
          ) : (
            <Rows
              label="Bots"
              columns={columnsWith(tree, held, setDialog)}
              items={shown}
              idOf={({ id }) => id}
              link={rowLink}
              after={error !== null && <Failure error={error} onRetry={() => void refetch()} />}
            />
          )}
        </FolderSplit>
      )}
      {dialog === 'folder' && <NewFolder inside={chosen} place={place} onClose={close} />}
      {dialog !== null && dialog !== 'folder' && (
        <MoveDialog
          folders={tree}
          from={dialog.folder_id}
          onMove={async (folder_id) => {
            await client.bots.signal.update(dialog.id, { folder_id })
            await place.refresh()
          }}
          onClose={close}
        >
          <Foreign text={dialog.name || `Bot ${dialog.id}`} /> goes on as before.
        </MoveDialog>
      )}
    </Page>
  )
}

/** The way to bots for prediction markets and DEXes, for those who have any. */
function WithoutVenue() {
  const { data: many = 0 } = useQuery(botsWithoutVenueCountQuery)
  return many === 0 ? null : <Link to="/bots/without-venue">{count(many, 'bot')} without a venue</Link>
}

function useFolderPlace(): FolderPlace {
  const queries = useQueryClient()
  const navigate = useNavigate()
  return {
    one: 'bot',
    many: 'bots',
    store: client.bots.signal.folders,
    refresh: () => queries.invalidateQueries({ queryKey: ['bots'] }),
    show: (folder) => void navigate({ to: '/bots', search: folder === undefined ? {} : { folder } }),
  }
}

function rowLink({ id, name }: SignalBotInList) {
  return (
    <Link
      to="/bots/$id"
      params={{ id: String(id) }}
      className={rowLinkClass}
      aria-label={plainText(name) || `Bot ${id}`}
    />
  )
}

function columnsWith(
  tree: readonly Placed[],
  held: ReadonlyMap<number, readonly Position[]> | undefined,
  onMove: (bot: SignalBotInList) => void,
): Column<SignalBotInList>[] {
  const move: Column<SignalBotInList> = {
    name: 'Move',
    width: '36px',
    isWide: true,
    cell: (bot) => <MoveButton name={bot.name || String(bot.id)} onClick={() => onMove(bot)} />,
  }
  return [
    {
      name: 'Name',
      width: 'minmax(120px, 2fr)',
      cell: ({ id, name }) => <Foreign text={name || `Bot ${id}`} />,
    },
    {
      name: 'Mode',
      width: 'minmax(64px, 88px)',
      cell: ({ mode, demo }) => <Mode mode={mode} demo={demo} />,
    },
    { name: 'Status', width: '88px', cell: ({ status }) => <Status status={status} /> },
    {
      name: 'Symbols',
      width: 'minmax(96px, 1.5fr)',
      isWide: true,
      isSecond: true,
      cell: ({ symbol }) => <Foreign text={symbol ?? 'all that it gets'} />,
    },
    {
      name: 'Amount',
      width: 'minmax(96px, 1fr)',
      isNumber: true,
      isWide: true,
      cell: (bot) => <Value value={bot.amount} unit={amountUnit(bot)} />,
    },
    {
      name: 'Holds',
      width: 'minmax(160px, 1.4fr)',
      isNumber: true,
      isWide: true,
      isSecond: true,
      cell: (bot) => <Holds bot={bot} positions={held && (held.get(bot.id) ?? [])} />,
    },
    {
      name: 'Created',
      width: 'minmax(86px, 104px)',
      isNumber: true,
      isWide: true,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    ...(tree.length > 0 ? [move] : []),
  ]
}

function NothingFits({ isFolder }: { isFolder: boolean }) {
  return isFolder ? (
    <Empty title="This folder is empty">
      Move a bot into it from the list of all, or choose the folder when you make a bot.
    </Empty>
  ) : (
    <Empty title="No bot fits these filters" action={<Link to="/bots">Show all bots</Link>}>
      Change a filter, or show all.
    </Empty>
  )
}
