import { client } from '../../data/client.ts'
import { Button } from '../../parts/Button.tsx'
import { Buttons } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'
import { Elsewhere } from './Elsewhere.tsx'
import { PastTimes } from './PastTimes.tsx'
import { ScheduleFields } from './ScheduleFields.tsx'
import styles from './strategies.module.css'
import type { Strategy } from './strategies.ts'
import { useDraft } from './use-draft.ts'

/** When a strategy runs, and what became of its latest times. */
export function Schedule({ strategy }: { strategy: Strategy & { type: 'code-strategy' } }) {
  const editing = useDraft('code', strategy)
  const { draft, change, isChanged, load, save } = editing
  return (
    <>
      <Form onSend={() => save()} fields={['cron_interval', 'timezone']}>
        {(isSending, problemOf) => (
          <div className={styles.form}>
            <ScheduleFields {...{ draft, change, problemOf }} />
            <Elsewhere editing={editing} />
            {isChanged && (
              <Buttons>
                <Button onClick={load}>Discard</Button>
                <Button type="submit" look="primary" isBusy={isSending}>
                  Save the schedule
                </Button>
              </Buttons>
            )}
            {isChanged && strategy.status === 'ACTIVE' && (
              <p className={styles.soft}>The schedule starts again from the moment of the save.</p>
            )}
          </div>
        )}
      </Form>
      <PastTimes strategy={strategy} trace={client.schedules.trace} />
    </>
  )
}
