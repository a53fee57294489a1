import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { client } from '../../data/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { Notice } from '../../parts/Notice.tsx'
import styles from './backtests.module.css'
import type { Backtest, Given, NewBacktest } from './backtests.ts'
import { asksModel, type Choices } from './choices.ts'
import { type Estimate, EstimateNotice } from './EstimateNotice.tsx'
import { FormFields } from './FormFields.tsx'
import { backtestFields, type Problems, readForm } from './form-body.ts'
import type { Source } from './SourceFields.tsx'
import { useDraftCode } from './use-draft-code.ts'

/** What was estimated: only that is started. */
type Estimated = { body: NewBacktest; estimate: Estimate }

/** First says what the backtest takes, then starts it. */
export function NewBacktestForm({
  choices,
  strategyId,
  earlier,
  given,
}: {
  choices: Choices
  strategyId: number | undefined
  /** The backtest whose request the form begins with, and what that request gave. */
  earlier: Backtest | undefined
  given: Given | undefined
}) {
  const navigate = useNavigate()
  const [chosen, setChosen] = useState(firstChoice(choices, strategyId, earlier))
  const usual = asksModel(choices, chosen) ? 'deliveries' : 'candles'
  const [source, setSource] = useState((earlier?.source ?? usual) as Source)
  const [estimated, setEstimated] = useState<Estimated | null>(null)
  const [problems, setProblems] = useState<Problems>({})
  const draft = useDraftCode(chosen)
  const choose = (id: number | null) => {
    setChosen(id)
    if (asksModel(choices, id)) setSource('deliveries')
  }
  const send = async (data: FormData) => {
    const { body: asked, problems } = readForm(data, data.get('use_draft') === null ? null : draft)
    // There is no field for answers.
    const body = { ...asked, ...(given && given.answers.length > 0 && { answers: given.answers }) }
    setProblems(problems)
    if (Object.keys(problems).length > 0) return
    const answer = await client.backtests.create(estimated?.body ?? { ...body, estimate: true })
    if ('seconds' in answer) {
      setEstimated({ body, estimate: answer })
      return
    }
    await navigate({ to: '/backtests/$id', params: { id: String(answer.id) }, replace: true })
  }
  return (
    <div className={styles.form}>
      <Form onSend={send} fields={backtestFields}>
        {(isSending, problemOf) => (
          <div onChange={() => setEstimated(null)} className={styles.parts}>
            <FormFields
              choices={choices}
              strategyId={chosen}
              onStrategy={choose}
              hasDraft={draft !== null}
              {...{ source, earlier, given }}
              onSource={setSource}
              problemOf={(field) => problems[field as keyof Problems] ?? problemOf(field)}
            />
            {earlier !== undefined && earlier.version === null && earlier.bot_webhook_id === null && (
              <Notice tone="warning">
                Backtest {earlier.id} ran code that was not saved. This one runs the code that you choose
                above.
              </Notice>
            )}
            {estimated !== null && <EstimateNotice estimate={estimated.estimate} />}
            <Buttons>
              <Button type="submit" look="primary" isBusy={isSending} unavailable={whyNot(choices, source)}>
                {estimated === null ? 'See what it takes' : 'Start the backtest'}
              </Button>
            </Buttons>
          </div>
        )}
      </Form>
    </div>
  )
}

/** What was asked for, if it is still there, and nothing else. */
function firstChoice({ strategies }: Choices, asked: number | undefined, earlier: Backtest | undefined) {
  const wanted = asked ?? earlier?.strategy_id
  if (wanted === undefined) return strategies[0]?.[0] ?? null
  return strategies.find(([id]) => id === wanted)?.[0] ?? null
}

function whyNot({ strategies, series }: Choices, source: Source): string | null {
  if (source !== 'signals' && strategies.length === 0) return 'You have no strategy or reaction with code.'
  return series.length === 0 ? 'There are no candles yet. Import some first.' : null
}
