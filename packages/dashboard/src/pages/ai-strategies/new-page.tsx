import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { meQuery } from '../../data/queries.ts'
import { useQuery } from '../../data/use-query.ts'
import { RadioFields } from '../../parts/Choices.tsx'
import { Empty, Failure, Skeleton } from '../../parts/Notice.tsx'
import { Page } from '../../parts/Page.tsx'
import { apiOf } from './api.ts'
import { Editor } from './Editor.tsx'
import { bodyOf, type Fields, fieldsOfKind, newFields } from './fields.ts'
import { type AiKind, aiKinds, kindWords } from './kinds.ts'
import { connectionsPath, modelsQuery } from './queries.ts'
import { useDraft } from './use-draft.ts'

export const Route = createLazyRoute('/signed-in/ai-strategies/new')({ component: NewAiStrategy })

const kindChoices = aiKinds.map((kind) => ({
  value: kind,
  text: kindWords[kind].one,
  hint: kindWords[kind].about,
}))

function NewAiStrategy() {
  const { kind = 'reaction' } = Route.useSearch() as { kind?: AiKind }
  const navigate = useNavigate()
  const { data: models, error, refetch } = useQuery(modelsQuery)
  const { data: me } = useQuery(meQuery)
  const choose = (kind: AiKind) =>
    void navigate({ to: '/ai-strategies/new', search: { kind }, replace: true })
  return (
    <Page title="New" tabTitle="New AI strategy" parent={<Link to="/ai-strategies">AI strategies</Link>}>
      {error !== null && <Failure error={error} onRetry={() => void refetch()} />}
      {models === undefined && error === null && <Skeleton />}
      {models?.length === 0 && <NoModels />}
      {models !== undefined && models.length > 0 && me !== undefined && (
        <>
          <RadioFields legend="Kind" name="kind" choices={kindChoices} value={kind} onChange={choose} />
          <Create
            key={kind}
            kind={kind}
            userId={me.id}
            modelId={models.length === 1 ? models[0]!.id : null}
          />
        </>
      )}
    </Page>
  )
}

/** What has to be there first. */
function NoModels() {
  return (
    <Empty title="Connect a model first" action={<a href={connectionsPath}>To the connections</a>}>
      An AI strategy asks a language model. Connect your account at a provider, such as OpenAI, Anthropic or
      Google, or a model on your own machine: you need its key and the name of a model.
    </Empty>
  )
}

/** @param modelId the model to begin with, if there is only one */
function Create({ kind, userId, modelId }: { kind: AiKind; userId: number; modelId: number | null }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const unsaved = { fields: { ...newFields(kind), connection_id: modelId }, etag: null }
  const drafting = useDraft(`draft.${userId}.ai.new.${kind}`, unsaved)
  const create = async (fields: Fields) => {
    const { id } = await apiOf[kind].create(bodyOf(fields, fieldsOfKind(kind)))
    drafting.discard()
    void queries.invalidateQueries({ queryKey: ['strategies'] })
    await navigate({ to: '/ai-strategies/$kind/$id', params: { kind, id: String(id) } })
  }
  return <Editor kind={kind} drafting={drafting} savedFields={unsaved.fields} isNew onSave={create} />
}
