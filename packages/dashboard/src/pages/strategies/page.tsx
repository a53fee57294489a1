import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useCallback, useMemo, useState } from 'react'
import { useIsPhone } from '../../base/use-media.ts'
import { useNow } from '../../base/use-now.ts'
import { client } from '../../data/client.ts'
import { useEvents } from '../../data/use-live.ts'
import { useQuery } from '../../data/use-query.ts'
import { useThrottled } from '../../data/use-throttled.ts'
import { Button } from '../../parts/Button.tsx'
import { ButtonLink } from '../../parts/ButtonLink.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { FolderBar } from '../../parts/folders/FolderBar.tsx'
import { FolderFilter } from '../../parts/folders/FolderFilter.tsx'
import { FolderSplit } from '../../parts/folders/FolderSplit.tsx'
import { FolderTree } from '../../parts/folders/FolderTree.tsx'
import { countsOf, treeOf } from '../../parts/folders/tree.ts'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Rows } from '../../parts/Rows.tsx'
import { columnsWith, rowLink } from './columns.tsx'
import { MoveStrategy, NewStrategyFolder, useFolderPlace } from './FolderDialogs.tsx'
import { filterStrategies, type StrategyFilters, statusChoices } from './filters.ts'
import { isCodeKind, kinds, kindTexts } from './kinds.ts'
import { beginningOfProfits, type Profit, profitsOf } from './profits.ts'
import { foldersQuery, type Listed, strategiesQuery } from './strategies.ts'
import { useRuns } from './use-runs.ts'

export const Route = createLazyRoute('/signed-in/strategies')({ component: Strategies })

/** All strategies and reactions, by folder. */
function Strategies() {
  const filters = Route.useSearch() as StrategyFilters
  const navigate = useNavigate()
  const isPhone = useIsPhone()
  const { data, error, refetch } = useQuery(strategiesQuery)
  const { data: folders } = useQuery(foldersQuery)
  const [dialog, setDialog] = useState<'folder' | Listed | null>(null)
  // To read a long list takes longer, so it is read less often.
  useRuns(strategiesQuery.queryKey, 1000 + 10 * (data?.length ?? 0))
  const profits = useProfits()
  const tree = useMemo(() => treeOf(folders ?? []), [folders])
  const shown = useMemo(() => filterStrategies(data ?? [], folders ?? [], filters), [data, folders, filters])
  const counts = useMemo(() => countsOf(data ?? []), [data])
  const change = useCallback(
    (changed: { [Name in keyof StrategyFilters]?: StrategyFilters[Name] | undefined }) => {
      const search = Object.fromEntries(
        Object.entries({ ...filters, ...changed }).filter(([, value]) => value !== undefined),
      )
      void navigate({ to: '/strategies', search: search as StrategyFilters, replace: true })
    },
    [filters, navigate],
  )
  const changeText = useCallback((q: string | undefined) => change({ q }), [change])
  const chosen = tree.find(({ id }) => id === filters.folder)
  const place = useFolderPlace(chosen?.kind ?? 'code')
  const { folder: _, ...others } = filters
  const hasTree = tree.length > 0 && !isPhone
  const close = () => setDialog(null)
  return (
    <Page
      title="Strategies"
      isFull
      actions={
        <>
          <Button onClick={() => setDialog('folder')}>New folder</Button>
          <ButtonLink
            look="primary"
            to="/strategies/new"
            search={
              chosen !== undefined && isCodeKind(chosen.kind) ? { kind: chosen.kind, folder: chosen.id } : {}
            }
          >
            New strategy
          </ButtonLink>
        </>
      }
      filters={
        <>
          {tree.length > 0 && isPhone && (
            <FolderFilter tree={tree} chosen={filters.folder} onChange={(folder) => change({ folder })} />
          )}
          <ChoiceFilter
            label="Kind"
            all="Any kind"
            choices={kinds.map((kind) => ({ value: kind, text: kindTexts[kind] }))}
            value={filters.kind}
            onChange={(kind) => change({ kind })}
          />
          <ChoiceFilter
            label="Status"
            all="Any status"
            choices={statusChoices}
            value={filters.status}
            onChange={(status) => change({ status })}
          />
          <TextFilter label="Name or symbol" value={filters.q} onChange={changeText} />
        </>
      }
    >
      {data === undefined ? (
        error === null ? (
          <Skeleton lines={12} />
        ) : (
          <Failure error={error} onRetry={() => void refetch()} />
        )
      ) : data.length === 0 && tree.length === 0 ? (
        <Empty
          title="No strategy yet"
          action={
            <ButtonLink look="primary" to="/strategies/new">
              New strategy
            </ButtonLink>
          }
        >
          A strategy is your code with its settings. A schedule, a price or a payload triggers it, and it
          tells your bots what to do.
        </Empty>
      ) : (
        <FolderSplit
          tree={
            hasTree && (
              <FolderTree
                folders={tree}
                counts={counts}
                chosen={filters.folder}
                kindOf={({ kind }) => kindTexts[kind]}
                link={(folder, look) => (
                  <Link
                    to="/strategies"
                    search={folder === undefined ? others : { ...others, folder }}
                    {...look}
                  />
                )}
              />
            )
          }
          bar={
            chosen !== undefined && <FolderBar folder={chosen} tree={tree} counts={counts} place={place} />
          }
        >
          {shown.length === 0 ? (
            <NothingFits filters={filters} isFolder={chosen !== undefined} />
          ) : (
            <Rows
              label="Strategies"
              columns={columnsWith(tree, profits, setDialog)}
              items={shown}
              idOf={({ id }) => id}
              link={rowLink}
              after={error !== null && <Failure error={error} onRetry={() => void refetch()} />}
            />
          )}
        </FolderSplit>
      )}
      {dialog === 'folder' && <NewStrategyFolder inside={chosen} onClose={close} />}
      {dialog !== null && dialog !== 'folder' && (
        <MoveStrategy strategy={dialog} folders={tree} onClose={close} />
      )}
    </Page>
  )
}

/** Profits change with each fill. The service walks through the trades of a month, so they are read less often. */
function useProfits(): ReadonlyMap<number, Profit[]> {
  const since = beginningOfProfits(useNow(60_000))
  const queries = useQueryClient()
  const queryKey = ['strategy-profits', since]
  const { data } = useQuery({
    queryKey,
    queryFn: async () => profitsOf(await client.stats.byStrategy({ since })),
  })
  useEvents(
    'fill',
    useThrottled(() => void queries.invalidateQueries({ queryKey }), 5_000),
  )
  return data ?? noProfits
}

const noProfits: ReadonlyMap<number, Profit[]> = new Map()

function NothingFits({ filters, isFolder }: { filters: StrategyFilters; isFolder: boolean }) {
  const { folder, ...others } = filters
  if (isFolder && Object.keys(others).length === 0)
    return (
      <Empty title="This folder is empty">
        Move a strategy into it from the list of all, or choose the folder when you make a strategy.
      </Empty>
    )
  return (
    <Empty title="No strategy fits these filters" action={<Link to="/strategies">Show all strategies</Link>}>
      {folder === undefined ? 'Change a filter, or show all.' : 'There may be some in other folders.'}
    </Empty>
  )
}
