import type { ReactNode } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Buttons, Dialog } from '../../parts/Dialog.tsx'
import { Form } from '../../parts/Form.tsx'

/**
 * Asks before something is lost. `children` names what it is, and what depends on it.
 * @param onConfirm does it; the dialog closes once the service has said so
 * @param fields the fields in `children` that show their own problems
 */
export function Confirm({
  title,
  word,
  onConfirm,
  onClose,
  unavailable,
  fields = [],
  children,
}: {
  title: string
  /** What the button says. */
  word: string
  onConfirm: (data: FormData) => Promise<unknown>
  onClose: () => void
  /** Why it cannot be done now. */
  unavailable?: string | null | undefined
  fields?: readonly string[]
  children: ReactNode | ((problemOf: (field: string) => string | undefined) => ReactNode)
}) {
  const send = async (data: FormData) => {
    await onConfirm(data)
    onClose()
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSend={send} fields={fields}>
        {(isSending, problemOf) => (
          <>
            {typeof children === 'function' ? children(problemOf) : children}
            <Buttons>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" look="danger" isBusy={isSending} unavailable={unavailable}>
                {word}
              </Button>
            </Buttons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
