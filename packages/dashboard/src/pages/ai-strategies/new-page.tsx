import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { client } from '../../data/client.ts'
import { meQuery } from '../../data/queries.ts'
import { useQuery } from '../../data/use-query.ts'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { Editor } from './Editor.tsx'
import { bodyOf, type Fields, newFields } from './fields.ts'
import { connectionsPath, modelsQuery } from './reactions.ts'
import { useDraft } from './use-draft.ts'

export const Route = createLazyRoute('/signed-in/ai-reactions/new')({ component: NewReaction })

function NewReaction() {
  const { data: models, error, refetch } = useQuery(modelsQuery)
  const { data: me } = useQuery(meQuery)
  return (
    <Page title="New" tabTitle="New AI reaction" parent={<Link to="/ai-reactions">AI reactions</Link>}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {models === undefined && error === null && <Skeleton />}
      {models?.length === 0 && <NoModels />}
      {models !== undefined && models.length > 0 && me !== undefined && (
        <Create userId={me.id} modelId={models.length === 1 ? models[0]!.id : null} />
      )}
    </Page>
  )
}

/** What has to be there first. */
export function NoModels() {
  return (
    <Empty title="Connect a model first" action={<a href={connectionsPath}>To the connections</a>}>
      An AI reaction asks a language model. Connect your account at a provider, such as OpenAI, Anthropic or
      Google, or a model on your own machine: you need its key and the name of a model.
    </Empty>
  )
}

/** @param modelId the model to begin with, if there is only one */
function Create({ userId, modelId }: { userId: number; modelId: number | null }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const unsaved = { fields: { ...newFields, connection_id: modelId }, etag: null }
  const drafting = useDraft(`draft.${userId}.ai.new`, unsaved)
  const create = async (fields: Fields) => {
    const all = Object.keys(fields) as (keyof Fields)[]
    const { id } = await client.reactions.llm.create(bodyOf(fields, all))
    drafting.discard()
    void queries.invalidateQueries({ queryKey: ['strategies'] })
    await navigate({ to: '/ai-reactions/$id', params: { id: String(id) } })
  }
  return <Editor drafting={drafting} savedFields={unsaved.fields} isNew onSave={create} />
}
