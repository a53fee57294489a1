import { useQueryClient } from '@tanstack/react-query'
import type { ApiClient } from '@tickwright/client'
import { client } from '../data/client.ts'
import { TextField } from './Field.tsx'
import { FormDialog } from './FormDialog.tsx'

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
  const save = async (data: FormData) => {
    const wanted = { ...content, name: String(data.get('name')).trim() }
    const { id, name } = await client.testPayloads.create(wanted)
    await queries.invalidateQueries({ queryKey: ['test-payloads'] })
    onSaved?.(id, name)
    onClose()
  }
  return (
    <FormDialog title="Save as test payload" word="Save" onSend={save} onClose={onClose} fields={['name']}>
      {(problemOf) => (
        <TextField
          label="Name"
          name="name"
          maxLength={100}
          autoFocus
          required
          hint="The editor offers it for test runs of this webhook's reactions."
          problem={problemOf('name')}
        />
      )}
    </FormDialog>
  )
}
