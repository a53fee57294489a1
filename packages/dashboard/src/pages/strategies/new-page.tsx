import { useQueryClient } from '@tanstack/react-query'
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { ButtonLink } from '../../parts/ButtonLink.tsx'
import { CheckField, FieldGroup, RadioFields, WholeRow } from '../../parts/Choices.tsx'
import { Code } from '../../parts/Code.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { TextField } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { FolderField } from '../../parts/folders/FolderDialogs.tsx'
import { treeOf } from '../../parts/folders/tree.ts'
import { Page } from '../../parts/Page.tsx'
import type { NewStrategy } from './addresses.ts'
import { exchangesQuery } from './choices.ts'
import { bodyOf, type Draft, emptyDraft } from './draft.ts'
import { MarketFields, SignalFields, TriggerFields } from './fields.tsx'
import type { CodeKind } from './kinds.ts'
import { ScheduleFields } from './ScheduleFields.tsx'
import { starters, usualSymbol } from './starters.ts'
import styles from './strategies.module.css'
import { codeOf, foldersQuery } from './strategies.ts'

export const Route = createLazyRoute('/signed-in/strategies/new')({ component: NewStrategyPage })

const kindChoices = [
  {
    value: 'code',
    text: 'Code strategy',
    hint: 'Your code runs on a schedule, or with each price of a symbol.',
  },
  {
    value: 'reaction',
    text: 'Code reaction',
    hint: 'Your code runs with each payload that a data webhook gets, such as an alert of TradingView.',
  },
] as const

function NewStrategyPage() {
  const { kind = 'code', folder, webhook } = Route.useSearch() as NewStrategy
  const navigate = useNavigate()
  const choose = (kind: CodeKind) =>
    void navigate({ to: '/strategies/new', search: { kind, ...(folder && { folder }) }, replace: true })
  return (
    <Page title="New strategy" parent={<Link to="/strategies">Strategies</Link>}>
      <div className={styles.form}>
        <RadioFields legend="Kind" name="kind" choices={kindChoices} value={kind} onChange={choose} />
        <p className={styles.soft}>
          In an AI strategy, a language model decides instead of code:{' '}
          <Link to="/ai-strategies/new">New AI strategy</Link>.
        </p>
        <NewForm key={kind} kind={kind} folder={folder ?? null} webhook={webhook ?? null} />
      </div>
    </Page>
  )
}

/** The fields that the service may complain about. Others are shown below the form. */
const fields = Object.keys(emptyDraft)

function NewForm({
  kind,
  folder,
  webhook,
}: {
  kind: CodeKind
  folder: number | null
  webhook: number | null
}) {
  const { data: exchanges } = useQuery(exchangesQuery)
  const { data: folders } = useQuery(foldersQuery)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const [starter, setStarter] = useState(starters[kind][0])
  const [ownDataWebhook, setOwnDataWebhook] = useState(kind === 'reaction' && webhook === null)
  const [draft, setDraft] = useState<Draft>({
    ...emptyDraft,
    folder_id: folder,
    data_webhook_id: webhook,
    symbol: 'BTCUSDT',
    price_symbol: kind === 'code' ? usualSymbol : '',
  })
  // A market that needs neither an account nor a network, so that the code works at once.
  const simulated = exchanges?.find(({ type }) => type === 'SIM')?.id ?? null
  const [isExchangeChosen, setExchangeChosen] = useState(false)
  const exchange_id = isExchangeChosen || starter.market === null ? draft.exchange_id : simulated
  const shown: Draft = { ...draft, exchange_id, use_price: draft.use_price || starter.market === 'price' }
  const change = (changed: Partial<Draft>) => {
    if ('exchange_id' in changed) setExchangeChosen(true)
    setDraft({ ...draft, ...changed })
  }
  const choose = (id: string) => {
    const chosen = starters[kind].find((each) => each.id === id)!
    setStarter(chosen)
    setDraft({ ...draft, send_signal: chosen.sends, use_price: chosen.market === 'price' })
  }
  const tree = useMemo(() => treeOf(folders ?? []).filter((each) => each.kind === kind), [folders, kind])
  const code = starter.code(shown.price_symbol.trim() || usualSymbol)
  const create = async () => {
    const settings = { ...shown }
    if (kind === 'reaction' && ownDataWebhook) {
      const made = await client.webhooks.data.create({ name: draft.name.slice(0, 255) })
      settings.data_webhook_id = made.id
      // If the rest fails, the next attempt uses this one.
      setOwnDataWebhook(false)
      setDraft(settings)
      void queries.invalidateQueries({ queryKey: ['webhooks'] })
    }
    const { id } = await codeOf[kind].create({ ...bodyOf(kind, settings), code })
    void queries.invalidateQueries({ queryKey: ['strategies'] })
    await navigate({ to: '/strategies/$kind/$id', params: { kind, id: String(id) } })
  }
  return (
    <Form onSend={create} fields={fields}>
      {(isSending, problemOf) => (
        <div className={styles.form}>
          <FieldGroup title="Strategy">
            <TextField
              label="Name"
              value={draft.name}
              onChange={(event) => change({ name: event.target.value })}
              problem={problemOf('name')}
            />
            {tree.length > 0 && (
              <FolderField
                folders={tree.filter((folder) => folder.kind === kind)}
                value={draft.folder_id}
                onChange={(folder_id) => change({ folder_id })}
                problem={problemOf('folder_id')}
              />
            )}
          </FieldGroup>
          <RadioFields
            legend="Code to begin with"
            name="starter"
            choices={starters[kind].map(({ id, name, hint }) => ({ value: id, text: name, hint }))}
            value={starter.id}
            onChange={choose}
          />
          <Code text={code} name="code to begin with" canCopy={false} />
          {kind === 'code' && <ScheduleFields {...{ draft: shown, change, problemOf }} />}
          {kind === 'reaction' && (
            <>
              <TriggerFields {...{ draft: shown, change, problemOf }} />
              {shown.data_webhook_id === null && (
                <WholeRow>
                  <CheckField
                    label="Make a data webhook for it"
                    hint="With the name of the reaction. Its page shows the address to post to."
                    checked={ownDataWebhook}
                    onChange={(event) => setOwnDataWebhook(event.target.checked)}
                  />
                </WholeRow>
              )}
            </>
          )}
          <MarketFields
            {...{ draft: shown, change, problemOf }}
            needs={starter.market === null ? undefined : 'The code to begin with needs one.'}
          />
          <SignalFields {...{ draft: shown, change, problemOf }} />
          <Buttons>
            <ButtonLink to="/strategies">Cancel</ButtonLink>
            <Button type="submit" look="primary" isBusy={isSending}>
              Create
            </Button>
          </Buttons>
          <p className={styles.soft}>It starts switched off. Try it in a test run before you switch it on.</p>
        </div>
      )}
    </Form>
  )
}
