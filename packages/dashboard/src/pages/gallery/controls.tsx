import { Plus, Settings } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { CheckField, RadioFields, SelectField } from '../../parts/Choices.tsx'
import { TextArea, TextField } from '../../parts/Field.tsx'
import { ChoiceFilter, TextFilter } from '../../parts/Filter.tsx'
import { Form } from '../../parts/Form.tsx'
import { Tabs } from '../../parts/Tabs.tsx'
import styles from './gallery.module.css'
import { type Exhibit, hostile } from './sample.tsx'

const looks = ['plain', 'primary', 'danger', 'quiet'] as const

const choices = [
  { value: 'ok', text: 'Succeeded' },
  { value: 'failed', text: 'Failed' },
]

/** Filters that keep what is chosen, as a page does in its address. */
function Filters() {
  const [choice, setChoice] = useState<string | undefined>('failed')
  const [text, setText] = useState<string | undefined>('deep thought')
  return (
    <div className={styles.filters}>
      <ChoiceFilter
        label="Nothing chosen"
        all="Any outcome"
        choices={choices}
        value={undefined}
        onChange={() => {}}
      />
      <ChoiceFilter label="Chosen" all="Any outcome" choices={choices} value={choice} onChange={setChoice} />
      <TextFilter label="In log or payload" value={undefined} onChange={() => {}} />
      <TextFilter label="With a text" value={text} onChange={setText} />
    </div>
  )
}

function ChosenTab() {
  const [chosen, setChosen] = useState('orders')
  return (
    <Tabs
      label="About this bot"
      chosen={chosen}
      onChoose={setChosen}
      tabs={['positions', 'orders', 'fills', 'results'].map((id) => ({
        id,
        name: id[0]!.toUpperCase() + id.slice(1),
        content: <p>The content of {id}.</p>,
      }))}
    />
  )
}

/** A form whose fields have problems once it is sent. */
function SampleForm() {
  return (
    <Form onSend={() => Promise.reject(new Error('The sample refuses everything.'))}>
      {(isSending) => (
        <>
          <TextField label="Name" name="name" defaultValue="Follower" />
          <Button type="submit" look="primary" isBusy={isSending}>
            Save
          </Button>
        </>
      )}
    </Form>
  )
}

const options = choices.map(({ value, text }) => (
  <option key={value} value={value}>
    {text}
  </option>
))

export const controls: readonly Exhibit[] = [
  {
    name: 'Button',
    samples: [
      ...looks.map((look) => ({ name: look, content: <Button look={look}>Close all</Button> })),
      ...looks.map((look) => ({
        name: `${look}, under way`,
        content: (
          <Button look={look} isBusy>
            Close all
          </Button>
        ),
      })),
      ...looks.map((look) => ({
        name: `${look}, not possible now`,
        content: (
          <Button look={look} unavailable="The bot holds nothing.">
            Close all
          </Button>
        ),
      })),
      {
        name: 'with an icon',
        content: (
          <Button>
            <Plus aria-hidden /> New bot
          </Button>
        ),
      },
      {
        name: 'only an icon',
        content: (
          <Button isSquare aria-label="Settings">
            <Settings aria-hidden />
          </Button>
        ),
      },
    ],
  },
  {
    name: 'Field',
    samples: [
      { name: 'empty', content: <TextField label="Name" placeholder="Follower" /> },
      { name: 'with a hint', content: <TextField label="Amount" hint="In USDT." defaultValue="100" /> },
      {
        name: 'with a problem',
        content: <TextField label="Amount" defaultValue="-1" problem="must be greater than 0" />,
      },
      { name: 'disabled', content: <TextField label="Number" defaultValue="42" disabled /> },
      { name: 'code', content: <TextField label="Symbol" defaultValue="BTC/USDT" isCode /> },
      { name: 'several lines', content: <TextArea label="About" defaultValue={'First line\nSecond line'} /> },
      {
        name: 'several lines of code',
        content: <TextArea label="Payload" isCode defaultValue='{ "price": 100 }' />,
      },
      {
        name: 'a choice',
        content: (
          <SelectField label="Outcome" hint="One of a few.">
            {options}
          </SelectField>
        ),
      },
      {
        name: 'a choice with a problem',
        content: (
          <SelectField label="Kind" problem="Is not possible here.">
            {options}
          </SelectField>
        ),
      },
    ],
  },
  {
    name: 'CheckField and RadioFields',
    samples: [
      { name: 'a box', content: <CheckField label="Only reduce" hint="Never opens a position." /> },
      {
        name: 'a choice in sight',
        content: (
          <RadioFields legend="Outcome" name="outcome" choices={choices} value="ok" onChange={() => {}} />
        ),
      },
    ],
  },
  { name: 'Filter', samples: [{ name: 'with and without a value', content: <Filters /> }] },
  { name: 'Form', samples: [{ name: 'before it is sent', content: <SampleForm /> }] },
  {
    name: 'Tabs',
    samples: [
      { name: 'the second one chosen', content: <ChosenTab /> },
      {
        name: 'many, one with a long name',
        content: (
          <Tabs
            label="Many"
            chosen="3"
            onChoose={() => {}}
            tabs={Array.from({ length: 14 }, (_, at) => ({
              id: String(at),
              name: at === 2 ? hostile.slice(0, 20) : `View ${at + 1}`,
              content: <p>The content.</p>,
            }))}
          />
        ),
      },
    ],
  },
]
