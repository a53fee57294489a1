import { createLazyRoute, Link } from '@tanstack/react-router'
import { plainText } from '../../../base/text.ts'
import { useQuery } from '../../../data/use-query.ts'
import { Empty } from '../../../parts/Notice.tsx'
import { Page } from '../../../parts/Page.tsx'
import { Foreign } from '../../../parts/Values.tsx'
import type { CodeKind } from './strategy.ts'
import { codeQuery, isCodeKind } from './strategy.ts'
import { Workbench } from './Workbench.tsx'

export const Route = createLazyRoute('/signed-in/strategies/$kind/$id/code')({ component: CodePage })

/** The code of one strategy or reaction, with nothing else. */
function CodePage() {
  const { kind, id } = Route.useParams()
  if (!isCodeKind(kind)) {
    return (
      <Empty title="There is no such page">Only strategies and reactions with code have an editor.</Empty>
    )
  }
  return <Code kind={kind} id={Number(id)} />
}

function Code({ kind, id }: { kind: CodeKind; id: number }) {
  const start = Route.useSearch()
  const { data } = useQuery(codeQuery(kind, id))
  // A strategy need not have a name.
  const name = data?.name.trim() || `Code of ${kind === 'code' ? 'strategy' : 'reaction'} ${id}`
  return (
    <Page
      title={<Foreign text={name} />}
      tabTitle={plainText(name)}
      parent={
        <Link to="/strategies/$kind/$id" params={{ kind, id: String(id) }}>
          The strategy
        </Link>
      }
    >
      <Workbench kind={kind} id={id} start={start} />
    </Page>
  )
}
