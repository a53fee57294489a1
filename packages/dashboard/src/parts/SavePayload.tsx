import { useQueryClient } from '@tanstack/react-query'
import type { ApiClient } from '@tickwright/client'
import { client } from '../data/client.ts'
import { Button } from './Button.tsx'
import { Buttons, Dialog } from './Dialog.tsx'
import { TextField } from './Field.tsx'
import { Form } from './Form.tsx'

type New = Parameters<ApiClient['testPayloads']['create']>[0]

/**
 * Asks for a name, and keeps a payload under it for test runs.
 * @param content the delivery that is copied, or the text and its webhook
 */
export function SavePayload({
  content,
  onClose,
  onSaved,
}: {
  content: Omit<New, 'name'>
  onClose: () => void
  onSaved?: (id: number, name: string) => void
}) {
  const queries = useQueryClient()
  return (
    <Dialog title="Save as test payload" onClose={onClose}>
      <Form
        fields={['name']}
        onSend={async (data) => {
          const wanted = { ...content, name: String(data.get('name')).trim() }
          const { id, name } = await client.testPayloads.create(wanted)
          await queries.invalidateQueries({ queryKey: ['test-payloads'] })
          onSaved?.(id, name)
          onClose()
        }}
      >
        {(isSending, problemOf) => (
          <>
            <TextField
              label="Name"
              name="name"
              maxLength={100}
              autoFocus
              required
              hint="The editor offers it for test runs of this webhook's reactions."
              problem={problemOf('name')}
            />
            <Buttons>
              <Button onClick={onClose}>Cancel</Button>
              <Button type="submit" look="primary" isBusy={isSending}>
                Save
              </Button>
            </Buttons>
          </>
        )}
      </Form>
    </Dialog>
  )
}
