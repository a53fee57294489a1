import type { ReactNode } from 'react'
import { plainText } from '../../base/text.ts'
import { useQuery } from '../../data/use-query.ts'
import { CheckField, FieldGroup, SelectField } from '../../parts/Choices.tsx'
import { TextField } from '../../parts/Field.tsx'
import { webhookChoicesQuery } from '../strategies/choices.ts'
import { ScheduleFields } from '../strategies/ScheduleFields.tsx'
import styles from './ai.module.css'
import { ChangeFields } from './ChangeFields.tsx'
import { ChartFields } from './ChartFields.tsx'
import { actionNames, type Fields, toolNames, toolWords } from './fields.ts'
import type { AiKind } from './kinds.ts'
import { connectionsPath, modelName, modelsQuery } from './queries.ts'

type Name = keyof Fields

/** Everything that a strategy has besides its prompt. */
export function Settings({
  kind,
  fields,
  onChange,
  problemOf,
}: {
  kind: AiKind
  fields: Fields
  onChange: (change: Partial<Fields>) => void
  problemOf: (field: Name) => string | undefined
}) {
  const { data: models } = useQuery(modelsQuery)
  const text = (name: Name & ('name' | 'symbol')) => ({
    name,
    value: fields[name],
    problem: problemOf(name),
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const number = (
    name: 'delay' | 'max_size' | 'approval_minutes' | 'tokens_per_day' | 'actions_per_day',
  ) => ({
    name,
    inputMode: 'decimal' as const,
    value: fields[name],
    problem: problemOf(name),
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  })
  const choice = (name: 'connection_id' | 'fallback_id' | 'data_webhook_id' | 'webhook_id') => ({
    name,
    value: fields[name] ?? ('' as const),
    problem: problemOf(name),
    onChange: (event: { target: { value: string } }) =>
      onChange({ [name]: event.target.value === '' ? null : Number(event.target.value) }),
  })
  const cannotAct = fields.send_signal ? {} : { disabled: true }
  return (
    <>
      <FieldGroup title="Who decides, and when">
        <TextField label="Name" maxLength={255} autoComplete="off" {...text('name')} />
        <SelectField
          label="Model"
          {...choice('connection_id')}
          hint={
            models?.length === 0 && (
              <>
                You have no connection to a model. <a href={connectionsPath}>Connect one</a>
              </>
            )
          }
        >
          <option value="">None</option>
          {models?.map((model) => (
            <option key={model.id} value={model.id}>
              {plainText(modelName(model))}
            </option>
          ))}
          <Unlisted id={fields.connection_id} ids={models?.map(({ id }) => id)} />
        </SelectField>
        <SelectField
          label="Second model"
          hint="It is asked once if the provider of the first one cannot answer."
          {...choice('fallback_id')}
        >
          <option value="">As the connection of the model says</option>
          {models
            ?.filter(({ id }) => id !== fields.connection_id)
            .map((model) => (
              <option key={model.id} value={model.id}>
                {plainText(modelName(model))}
              </option>
            ))}
          <Unlisted id={fields.fallback_id} ids={models?.map(({ id }) => id)} />
        </SelectField>
        {kind === 'reaction' && (
          <>
            <WebhookField
              label="Data webhook"
              kind="data"
              hint="Each payload that it accepts asks the model."
              field={choice('data_webhook_id')}
            />
            <TextField label="Most runs a second" hint="Empty: no limit." {...number('delay')} />
          </>
        )}
      </FieldGroup>
      {kind === 'session' && (
        <ScheduleFields
          draft={fields}
          change={onChange}
          problemOf={(field) => problemOf(field as Name)}
          isForModel
        />
      )}
      <ChartFields kind={kind} fields={fields} onChange={onChange} problemOf={problemOf} />
      <FieldGroup title="What the model may do">
        <CheckField
          label="Send signals"
          hint="Without this, the model cannot act."
          checked={fields.send_signal}
          onChange={(event) => onChange({ send_signal: event.target.checked })}
        />
        <Actions fields={fields} onChange={onChange} problem={problemOf('actions')} />
        <WebhookField
          label="Bot webhook"
          kind="bot"
          hint="The bots that follow it get the signals. Without one, the service only records them."
          field={{ ...choice('webhook_id'), ...cannotAct }}
        />
        <TextField
          label="Symbols"
          hint="Separated by commas, such as BTC/USDT."
          isCode
          {...text('symbol')}
          {...cannotAct}
        />
        <TextField
          label="Largest size"
          hint="In quote currency to open, in base currency to close. Empty: the model cannot choose a size."
          {...number('max_size')}
          {...cannotAct}
        />
        <CheckField
          label="Ask me before each action"
          hint="The action waits on the page Approvals."
          checked={fields.needs_approval}
          onChange={(event) => onChange({ needs_approval: event.target.checked })}
          {...cannotAct}
        />
        {fields.needs_approval && (
          <TextField
            label="Minutes to decide"
            hint="1 to 1,440. After that, the action is never sent."
            {...number('approval_minutes')}
            {...cannotAct}
          />
        )}
      </FieldGroup>
      <FieldGroup title="Tools of the model">
        <Tools fields={fields} onChange={onChange} problem={problemOf('tools')} />
      </FieldGroup>
      <ChangeFields fields={fields} onChange={onChange} problem={problemOf('may_change')} />
      <FieldGroup title="Budget of each day (UTC)">
        <TextField label="Tokens" hint="Read and written together." {...number('tokens_per_day')} />
        <TextField label="Actions" hint="Requests for approval count too." {...number('actions_per_day')} />
      </FieldGroup>
      <FieldGroup title="Others">
        <CheckField
          label="Mail me each answer of the model"
          hint="A run that fails mails nothing."
          checked={fields.send_email}
          onChange={(event) => onChange({ send_email: event.target.checked })}
        />
        <CheckField
          label="Public"
          hint="Every user of this installation can read and copy the prompt, but nothing else."
          checked={fields.visibility === 'PUBLIC'}
          onChange={(event) => onChange({ visibility: event.target.checked ? 'PUBLIC' : 'PRIVATE' })}
        />
      </FieldGroup>
    </>
  )
}

function Actions({
  fields,
  onChange,
  problem,
}: {
  fields: Fields
  onChange: (change: Partial<Fields>) => void
  problem: string | undefined
}) {
  return (
    <div>
      <div className={styles.actions} role="group" aria-label="Actions that it may choose">
        {actionNames.map((action) => (
          <CheckField
            key={action}
            label={action}
            checked={fields.actions.includes(action)}
            disabled={!fields.send_signal}
            onChange={({ target }) =>
              onChange({
                actions: actionNames.filter((one) =>
                  one === action ? target.checked : fields.actions.includes(one),
                ),
              })
            }
          />
        ))}
      </div>
      {problem !== undefined && <p className={styles.problem}>{problem}</p>}
    </div>
  )
}

function Tools({
  fields,
  onChange,
  problem,
}: {
  fields: Fields
  onChange: (change: Partial<Fields>) => void
  problem: string | undefined
}) {
  return (
    <div role="group" aria-label="Tools that it has">
      {toolNames.map((tool) => (
        <CheckField
          key={tool}
          label={toolWords[tool]}
          hint={
            tool === 'web_fetch' &&
            'Anyone who misleads the model could learn what it knows, because an address can carry data.'
          }
          checked={fields.tools.includes(tool)}
          onChange={({ target }) =>
            onChange({
              tools: toolNames.filter((one) => (one === tool ? target.checked : fields.tools.includes(one))),
            })
          }
        />
      ))}
      {problem !== undefined && <p className={styles.problem}>{problem}</p>}
    </div>
  )
}

type Choice = {
  name: string
  value: number | ''
  problem: string | undefined
  disabled?: boolean
  onChange: (event: { target: { value: string } }) => void
}

function WebhookField({
  label,
  kind,
  hint,
  field,
}: {
  label: string
  kind: 'data' | 'bot'
  hint: ReactNode
  field: Choice
}) {
  const { data } = useQuery(webhookChoicesQuery(kind))
  return (
    <SelectField label={label} hint={hint} {...field}>
      <option value="">None</option>
      {data?.map(({ id, name, isShared }) => (
        <option key={id} value={id}>
          {plainText(name || `Webhook ${id}`)}
          {isShared ? ' (shared with you)' : ''}
        </option>
      ))}
      <Unlisted id={field.value === '' ? null : field.value} ids={data?.map(({ id }) => id)} />
    </SelectField>
  )
}

/** What is chosen stays chosen while the list is being read, or if it is not in it. */
function Unlisted({ id, ids }: { id: number | null; ids: readonly number[] | undefined }) {
  if (id === null || ids?.includes(id)) return null
  return <option value={id}>Number {id}</option>
}
