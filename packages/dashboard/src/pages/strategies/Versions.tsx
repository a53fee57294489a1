import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { SelectField } from '../../parts/Choices.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import type { StrategyView } from './addresses.ts'
import { Diff } from './Diff.tsx'
import type { CodeKind } from './kinds.ts'
import { RestoreDialog } from './RestoreDialog.tsx'
import styles from './strategies.module.css'
import { codeOf, type Strategy, type Version } from './strategies.ts'
import { changedText, savedByText, versionText } from './versions.ts'

/** The service keeps about a hundred, and older ones that a stored run came from. */
const shown = 200

/** Every save that changed what the strategy executes; any two can be compared. */
export function Versions({
  kind,
  strategy,
  view,
  onView,
}: {
  kind: CodeKind
  strategy: Strategy
  view: StrategyView
  onView: (view: StrategyView) => void
}) {
  const [restoring, setRestoring] = useState<Version | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: ['strategies', 'versions', kind, strategy.id],
    queryFn: async () => {
      const answer = await codeOf[kind].versions(strategy.id, { limit: shown })
      return Array.isArray(answer) ? answer : answer.items
    },
  })
  if (error !== null) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  const [current] = data
  if (current === undefined)
    return <Empty title="No version yet">A save that changes the code makes one.</Empty>
  const compare = (from: number, to: number) => onView({ tab: 'versions', from, to })
  const columns: TableColumn<Version>[] = [
    {
      name: 'Version',
      cell: ({ version }) => (version === current.version ? `${version}, current` : version),
    },
    { name: 'Saved', cell: ({ saved_at }) => <Time at={saved_at} /> },
    { name: 'By', isWide: true, cell: ({ saved_by }) => savedByText(saved_by) },
    { name: 'Changed', isWide: true, cell: (version) => changedText(version) },
    { name: 'Why', isWide: true, cell: ({ reason }) => <Foreign text={reason ?? ''} /> },
    {
      name: 'Compare or restore',
      isNumber: true,
      cell: (version) =>
        version !== current && (
          <>
            <Button
              look="quiet"
              aria-label={`Compare version ${version.version} with the current one`}
              onClick={() => compare(version.version, current.version)}
            >
              Compare
            </Button>
            <Button
              look="quiet"
              aria-label={`Restore version ${version.version}`}
              onClick={() => setRestoring(version)}
            >
              Restore
            </Button>
          </>
        ),
    },
  ]
  return (
    <>
      <Table label="Versions" columns={columns} items={data} idOf={({ version }) => version} />
      {data.length > 1 && <Compare {...{ kind, id: strategy.id, versions: data, view, compare }} />}
      {restoring !== null && (
        <RestoreDialog
          {...{ kind, strategy, version: restoring, current }}
          onClose={() => setRestoring(null)}
        />
      )}
    </>
  )
}

/** Two versions side by side. At first, the current one with the one before. */
function Compare({
  kind,
  id,
  versions,
  view,
  compare,
}: {
  kind: CodeKind
  id: number
  versions: readonly Version[]
  view: StrategyView
  compare: (from: number, to: number) => void
}) {
  const known = (version: number | undefined, otherwise: Version) =>
    versions.find((each) => each.version === version) ?? otherwise
  const from = known(view.from, versions[1]!).version
  const to = known(view.to, versions[0]!).version
  const { data, error, refetch } = useQuery({
    queryKey: ['comparison', kind, id, from, to],
    queryFn: () => codeOf[kind].compare(id, to, { with: from }),
    // Versions do not change.
    staleTime: Number.POSITIVE_INFINITY,
    placeholderData: keepPreviousData,
  })
  const options = versions.map((version) => (
    <option key={version.version} value={version.version}>
      {versionText(version)}
    </option>
  ))
  return (
    <Section title="Compare">
      <div className={styles.pair}>
        <SelectField label="Before" value={from} onChange={({ target }) => compare(Number(target.value), to)}>
          {options}
        </SelectField>
        <SelectField label="After" value={to} onChange={({ target }) => compare(from, Number(target.value))}>
          {options}
        </SelectField>
      </div>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton />}
      {data !== undefined && <Diff key={`${data.from} ${data.to}`} comparison={data} />}
    </Section>
  )
}
