import { Link } from '@tanstack/react-router'
import { type EnvironmentVariable, eachOf } from '@tickwright/client'
import { allOf } from '../../data/all-of.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import type { Placed } from '../../parts/folders/tree.ts'
import { Empty, Failure, Notice, Skeleton } from '../../parts/Notice.tsx'
import { Section } from '../../parts/Page.tsx'
import { Table } from '../../parts/Table.tsx'
import { Foreign } from '../../parts/Values.tsx'
import { readVariables, variableFor } from './variables.ts'

/** The variables that the saved code reads, and where each comes from. */
export function Variables({
  code,
  folderId,
  folders,
}: {
  code: string
  folderId: number | null
  folders: readonly Placed[]
}) {
  const { data, error, refetch } = useQuery({
    queryKey: ['variables', 'of strategies'],
    queryFn: () => allOf<EnvironmentVariable>(eachOf(client.variables.list)),
  })
  const { names, isDynamic } = readVariables(code)
  const around = foldersAround(folderId, folders)
  const sourceOf = (name: string) => {
    const found = variableFor(name, data ?? [], around)
    if (found === undefined) return 'It is not defined: the code gets undefined'
    if (found.folder_id === null) return 'All strategies'
    return folders.find(({ id }) => id === found.folder_id)?.path ?? `Folder ${found.folder_id}`
  }
  return (
    <Section
      title="Variables that it reads"
      actions={
        <Link to="/settings/$area" params={{ area: 'variables' }}>
          All variables
        </Link>
      }
    >
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && <Skeleton lines={3} />}
      {isDynamic && (
        <Notice>
          The code also reads $.Env in a way that does not say which variables, so it may read any of them.
        </Notice>
      )}
      {data !== undefined && names.length === 0 && !isDynamic && (
        <Empty title="It reads no variable">Code reads one as $.Env.NAME.</Empty>
      )}
      {data !== undefined && names.length > 0 && (
        <Table
          label="Variables"
          items={names}
          idOf={(name) => name}
          columns={[
            { name: 'Name', cell: (name) => <code>{name}</code> },
            { name: 'Comes from', cell: (name) => <Foreign text={sourceOf(name)} /> },
          ]}
        />
      )}
    </Section>
  )
}

/** The folder of a strategy and those around it, the nearest first. */
function foldersAround(folderId: number | null, folders: readonly Placed[]): number[] {
  const ids: number[] = []
  for (let id = folderId; id !== null && !ids.includes(id); ) {
    ids.push(id)
    id = folders.find((folder) => folder.id === id)?.parent_id ?? null
  }
  return ids
}
