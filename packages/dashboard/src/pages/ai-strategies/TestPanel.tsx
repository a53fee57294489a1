import { useQueryClient } from '@tanstack/react-query'
import type { AiTestRun } from '@tickwright/client'
import { type KeyboardEvent, useRef } from 'react'
import { serviceNow } from '../../base/service-time.ts'
import { formatMoment } from '../../base/times.ts'
import { client } from '../../data/client.ts'
import { useQuery } from '../../data/use-query.ts'
import { Button } from '../../parts/Button.tsx'
import { SelectField } from '../../parts/Choices.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { TextArea } from '../../parts/Field.tsx'
import { Form } from '../../parts/Form.tsx'
import { Foreign } from '../../parts/Values.tsx'
import styles from './ai.module.css'
import { apiOf } from './api.ts'
import type { Fields } from './fields.ts'
import { type AiStrategy, kindOf } from './kinds.ts'
import { modelName, modelsQuery } from './queries.ts'
import { TestResult } from './TestResult.tsx'
import { firstInput, inputBody, storageProblem, type TestInput, unsavedSettings } from './test-input.ts'

/** What was entered and what came of it. The page has it, so that both survive a look at another tab. */
export type Testing = { input: TestInput; result: { run: AiTestRun; about: string } | null }

export const untested: Testing = { input: firstInput, result: null }

/** Asks the model once with the prompt as it is typed now. Nothing is sent or stored, but the model costs tokens. */
export function TestPanel({
  strategy,
  fields,
  testing: { input, result },
  onChange,
}: {
  strategy: AiStrategy
  fields: Fields
  testing: Testing
  onChange: (testing: Testing) => void
}) {
  const kind = kindOf(strategy)
  const queries = useQueryClient()
  const panel = useRef<HTMLDivElement>(null)
  const { data: models } = useQuery(modelsQuery)
  const model = models?.find(({ id }) => id === fields.connection_id)
  const problem = storageProblem(input.storage)
  const set = (change: Partial<TestInput>) => onChange({ input: { ...input, ...change }, result })
  const ask = async () => {
    if (unavailable !== null) return
    onChange({ input, result: null })
    const settings = unsavedSettings(strategy, fields)
    const given = { ...inputBody(kind, input), prompt: fields.prompt }
    const run =
      settings === null
        ? await apiOf[kind].test(strategy.id, given)
        : await apiOf[kind].testPrompt({
            ...{ ...given, ...settings, connection_id: fields.connection_id! },
            folder_id: strategy.folder_id,
          })
    onChange({ input, result: { run, about: aboutTest(strategy, fields, settings !== null) } })
    void queries.invalidateQueries({ queryKey: ['runs', 'budget', strategy.id] })
  }
  const unavailable =
    fields.connection_id === null
      ? 'It has no model.'
      : fields.prompt.trim() === ''
        ? 'The prompt is empty.'
        : problem
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.key !== 'Enter') return
    event.preventDefault()
    panel.current?.querySelector('form')?.requestSubmit()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys belong to the fields in it
    <div ref={panel} className={styles.test} onKeyDown={onKeyDown}>
      <Form onSend={ask}>
        {(isSending) => (
          <>
            {kind === 'reaction' && (
              <>
                <PastPayloads webhookId={fields.data_webhook_id} onChoose={(payload) => set({ payload })} />
                <TextArea
                  label="Payload"
                  isCode
                  rows={8}
                  value={input.payload}
                  onChange={(event) => set({ payload: event.target.value })}
                />
              </>
            )}
            <TextArea
              label="Stored value"
              hint="What earlier runs stored, as JSON. Empty: nothing."
              isCode
              rows={3}
              problem={problem}
              value={input.storage}
              onChange={(event) => set({ storage: event.target.value })}
            />
            <SelectField
              label="Last action"
              value={input.lastAction}
              onChange={(event) => set({ lastAction: event.target.value as TestInput['lastAction'] })}
            >
              <option value="">None</option>
              <option value="LONG">LONG</option>
              <option value="SHORT">SHORT</option>
              <option value="EXIT">EXIT</option>
            </SelectField>
            <p className={styles.soft}>
              No signal is sent and nothing is stored. But this really asks{' '}
              <Foreign text={model === undefined ? 'the model' : modelName(model)} />, and its provider
              charges for the tokens.
            </p>
            <Buttons>
              <Button
                type="submit"
                look="primary"
                isBusy={isSending}
                unavailable={unavailable}
                aria-keyshortcuts="Control+Enter Meta+Enter"
              >
                Ask the model
              </Button>
            </Buttons>
          </>
        )}
      </Form>
      <div aria-live="polite" className={styles.result}>
        {result !== null && <TestResult {...result} />}
      </div>
    </div>
  )
}

/** In words: which prompt and settings the test used. */
function aboutTest(strategy: AiStrategy, fields: Fields, hasOtherSettings: boolean): string {
  const prompt = fields.prompt === strategy.prompt ? 'the saved prompt' : 'the prompt that is not saved yet'
  return hasOtherSettings
    ? `With ${prompt}, and settings that are not saved yet. The tokens do not count in the budget.`
    : `With ${prompt}. The tokens count in the budget.`
}

/** The latest payloads of the webhook, to test with one of them. */
function PastPayloads({
  webhookId,
  onChoose,
}: {
  webhookId: number | null
  onChoose: (payload: string) => void
}) {
  const { data = [] } = useQuery({
    queryKey: ['deliveries', 'of-webhook', webhookId],
    queryFn: async () => {
      const answer = await client.webhooks.data.deliveries(webhookId!, { limit: 20 })
      return Array.isArray(answer) ? answer : answer.items
    },
    enabled: webhookId !== null,
    retry: false,
  })
  if (data.length === 0) return null
  return (
    <SelectField
      label="A past payload"
      value=""
      onChange={(event) => {
        const chosen = data.find(({ id }) => String(id) === event.target.value)
        if (chosen !== undefined) onChoose(chosen.body ?? '')
      }}
    >
      <option value="">Choose one to test with it</option>
      {data.map(({ id, received_at }) => (
        <option key={id} value={id}>
          Delivery {id}, {formatMoment(received_at, serviceNow())}
        </option>
      ))}
    </SelectField>
  )
}
