import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { Buttons, Dialog } from './Dialog.tsx'
import { Form } from './Form.tsx'

type FormDialogProps = {
  title: string
  /** What the button says that does it. */
  word: string
  look?: 'primary' | 'danger'
  /** What the button says that closes the dialog. */
  back?: string
  /** Does it, and decides what is shown then. What it throws is shown in the dialog, which stays. */
  onSend: (data: FormData) => Promise<unknown>
  onClose: () => void
  /** Why it cannot be done now. */
  unavailable?: string | null | undefined
  /** The fields in `children` that show their own problems. */
  fields?: readonly string[]
  isWide?: boolean
  /** Another button, before the last one. If it sends the form too, `isBusy` says which of the two is at work. */
  other?: ReactNode
  /** Whether what `word` says is under way. Default: while the form is being sent. */
  isBusy?: boolean
  children?: ReactNode | ((problemOf: (field: string) => string | undefined) => ReactNode)
}

/** A dialog with a form that is sent once at a time, and two buttons below it. */
export function FormDialog({
  title,
  word,
  look = 'primary',
  back = 'Cancel',
  onSend,
  onClose,
  unavailable,
  fields = [],
  isWide = false,
  other,
  isBusy,
  children,
}: FormDialogProps) {
  const send = async (data: FormData) => {
    await onSend(data)
  }
  return (
    <Dialog title={title} onClose={onClose} isWide={isWide}>
      <Form onSend={send} fields={fields}>
        {(isSending, problemOf) => (
          <>
            {typeof children === 'function' ? children(problemOf) : children}
            <Buttons>
              <Button onClick={onClose}>{back}</Button>
              {other}
              <Button type="submit" look={look} isBusy={isBusy ?? isSending} unavailable={unavailable}>
                {word}
              </Button>
            </Buttons>
          </>
        )}
      </Form>
    </Dialog>
  )
}

/**
 * Asks before something is lost. `children` names what it is, and what depends on it.
 * @param onConfirm does it; the dialog closes once the service has said so
 */
export function Confirm({
  onConfirm,
  ...rest
}: Omit<FormDialogProps, 'onSend' | 'look'> & { onConfirm: FormDialogProps['onSend'] }) {
  const confirm = async (data: FormData) => {
    await onConfirm(data)
    rest.onClose()
  }
  return <FormDialog {...rest} look="danger" onSend={confirm} />
}
