import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { Code } from '../../parts/Code.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { Failure, Skeleton } from '../../parts/Notice.tsx'
import { Table, type TableColumn } from '../../parts/Table.tsx'
import { Foreign, Time } from '../../parts/Values.tsx'
import styles from './ai.module.css'
import { apiOf, type Version } from './api.ts'
import { type Fields, fieldWords } from './fields.ts'
import type { AiKind } from './kinds.ts'

async function readVersions(kind: AiKind, id: number) {
  const answer = await apiOf[kind].versions(id, { limit: 100 })
  return Array.isArray(answer) ? answer : answer.items
}

/** Each save that changed what the strategy does. Any of them can be saved again. */
export function Versions({ kind, id, etag }: { kind: AiKind; id: number; etag: string }) {
  const [shown, setShown] = useState<Version | null>(null)
  const { data, error, refetch } = useQuery({
    queryKey: ['strategies', 'ai', id, 'versions'],
    queryFn: () => readVersions(kind, id),
  })
  if (error !== null && data === undefined) return <Failure error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Skeleton />
  const columns: TableColumn<Version>[] = [
    { name: 'Version', cell: ({ version }) => version },
    { name: 'Changed', isWide: true, cell: ({ changed }) => changed.map(nameOfField).join(', ') || '–' },
    { name: 'Why', isWide: true, cell: ({ reason }) => <Foreign text={reason ?? ''} /> },
    { name: 'Saved by', isWide: true, cell: ({ saved_by }) => savedBy(saved_by?.via) },
    { name: 'Saved', isNumber: true, cell: ({ saved_at }) => <Time at={saved_at} /> },
    {
      name: 'Look',
      isNumber: true,
      cell: (version) => (
        <Button
          look="quiet"
          onClick={() => setShown(version)}
          aria-label={`Look at version ${version.version}`}
        >
          Look
        </Button>
      ),
    },
  ]
  return (
    <>
      <Table label="Versions" columns={columns} items={data} idOf={({ version }) => version} />
      {shown !== null && (
        <VersionDialog
          kind={kind}
          id={id}
          etag={etag}
          version={shown.version}
          isCurrent={shown.until === null}
          onClose={() => setShown(null)}
        />
      )}
    </>
  )
}

function VersionDialog({
  kind,
  id,
  etag,
  version,
  isCurrent,
  onClose,
}: {
  kind: AiKind
  id: number
  etag: string
  version: number
  isCurrent: boolean
  onClose: () => void
}) {
  const queries = useQueryClient()
  const { data, error } = useQuery({
    queryKey: ['version-diffs', id, version],
    queryFn: () => apiOf[kind].compare(id, version),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const restore = async () => {
    await apiOf[kind].restore(id, version, {}, { ifMatch: etag })
    await queries.invalidateQueries({ queryKey: ['strategies'] })
    onClose()
  }
  return (
    <FormDialog
      title={`Version ${version}`}
      word="Restore"
      back="Back"
      onSend={restore}
      onClose={onClose}
      unavailable={isCurrent ? 'This is the current version.' : null}
      isWide
    >
      {error !== null && <Failure error={error} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {data !== undefined && (
        <>
          <p className={styles.soft}>What differs from version {data.from}:</p>
          {data.settings.map(({ field, from, to }) => (
            <p key={field}>
              {nameOfField(field)}: <Foreign text={JSON.stringify(from)} /> →{' '}
              <Foreign text={JSON.stringify(to)} />
            </p>
          ))}
          {data.text !== '' && <Code text={data.text} name="Changes of the prompt" canCopy={false} />}
          {data.text === '' && data.settings.length === 0 && <p>Nothing: this is the first version.</p>}
        </>
      )}
      <p>
        To restore it saves its prompt and settings again, as a new version. What is saved now stays a version
        too.
      </p>
    </FormDialog>
  )
}

function nameOfField(field: string): string {
  return fieldWords[field as keyof Fields] ?? field
}

const ways: Record<string, string> = {
  session: 'You, in a browser',
  key: 'A signed request',
  agent: 'An agent',
  strategy: 'Code of a strategy',
  service: 'The service',
}

function savedBy(via: string | undefined): string {
  return via === undefined ? 'Nobody knows' : (ways[via] ?? via)
}
