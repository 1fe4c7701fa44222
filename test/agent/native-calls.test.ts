import { describe, expect, it } from '@jest/globals';
import { ToolsUnsupported } from '../../src/agent/model-errors.ts';
import { protocolNamed } from '../../src/agent/protocols/index.ts';
import { done, json as say, native, run, testToolbox, testTools, type Line } from './support.ts';

describe('a reply through the provider’s own tool calling', () => {
  it('gets all its results together, each under the id of its call', async () => {
    const lines = [
      native(['note', { text: 'a' }], ['fail', {}], ['note', {}]),
      native(['end', {}]),
    ];
    const { requests, end } = await run({ lines, protocol: 'native' });
    expect(end).toEqual({ kind: 'finished' });
    const [, reply, answer] = requests[1]?.messages ?? [];
    const asked = reply?.role === 'assistant' ? reply.calls.map(({ id }) => id) : [];
    const told = answer?.role === 'results' ? answer.results : [];
    expect(told.map(({ id }) => id)).toEqual(asked);
    expect(told.map(({ ok }) => ok)).toEqual([true, false, true]);
  });

  it('without a call ends the run in its words', async () => {
    const { end, journal } = await run({ lines: ['All is well already.'], protocol: 'native' });
    expect(end).toEqual({ kind: 'finished' });
    expect(journal.find(({ type }) => type === 'reply')).toMatchObject({
      answer: 'All is well already.',
      calls: [{ tool: 'end', arguments: { text: 'All is well already.' } }],
    });
  });

  describe('that may be a call in an unknown form, in a run that has changed nothing', () => {
    const diff = '--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b';
    const endOf = async (...lines: Line[]) => {
      const { end, journal, requests } = await run({ lines, protocol: 'native' });
      const replies = journal.filter((entry) => entry.type === 'reply');
      return { end, requests, answers: replies.map(({ answer }) => answer) };
    };

    it.each([
      ['a diff', diff],
      ['a command', 'I look.\n\n```bash\nls -la\n```'],
      ['tags', '<execute_ipython>\nprint(1)\n</execute_ipython>'],
      ['a call of another tool', 'writeToFile({ path: `a.md`, content: `# Hi` })'],
    ])('counts as an answer only if the model gives it again: %s', async (_what, text) => {
      const { answers, requests } = await endOf(text, text);
      expect(answers).toEqual([null, text]);
      expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('your final answer');
    });

    it.each(['save_note: a', '@saveNote(text: "a")', 'Herramienta save-note, texto a = b'])(
      'never counts as one if it names a tool: %s',
      async (text) => {
        const tools = testToolbox(testTools().map((one) => ({ ...one, name: `save_${one.name}` })));
        const { end, journal } = await run({
          lines: [text, text, text, text],
          tools,
          protocol: 'native',
        });
        expect(end).toMatchObject({ cause: { because: 'unreadable_replies' } });
        expect(journal.some((entry) => entry.type === 'reply' && entry.answer !== null)).toBe(
          false,
        );
      },
    );

    it.each(['`save_note` `a`', '1. `save-note` a.ts', 'Look: save-note, then a.ts.'])(
      'counts as one only if the model gives it again, if it names a tool in a sentence: %s',
      async (text) => {
        const tools = testToolbox(
          testTools().map((one) => (one.name === 'note' ? { ...one, name: 'save_note' } : one)),
        );
        const { journal } = await run({ lines: [text, text], tools, protocol: 'native' });
        const replies = journal.filter((entry) => entry.type === 'reply');
        expect(replies.map(({ answer }) => answer)).toEqual([null, text]);
      },
    );

    it.each(['Tool: note\nText: a', '**Action:** note', '- Function name: note'])(
      'counts as one only if the model gives it again, if it says that it is a call: %s',
      async (text) => {
        expect((await endOf(text, text)).answers).toEqual([null, text]);
      },
    );

    it.each([
      'Nothing to do: `parse` in `src/a-b.ts` already handles this (since 2.0).',
      'Schon erledigt, siehe [die Anleitung](https://docs.example/a_b?c=d).',
      '已经完成了：没有需要修改的内容。👍',
    ])('is an answer at once if it consists of sentences: %s', async (text) => {
      expect((await endOf(text)).answers).toEqual([text]);
    });

    describe('if the run has changed files', () => {
      const answersOf = async (...texts: string[]) => {
        const lines = [native(['save_note', { text: 'a' }]), ...texts];
        const tools = testToolbox(
          testTools().map((one) => (one.name === 'note' ? { ...one, name: 'save_note' } : one)),
        );
        const before = await run({ lines, tools, protocol: 'native', crashAfter: 4 });
        const journal = before.journal.map((entry) =>
          entry.type === 'call_finished' ? { ...entry, changedFiles: 1 } : entry,
        );
        const after = await run({ lines, tools, protocol: 'native', journal });
        expect(after.end).toEqual({ kind: 'finished' });
        const replies = after.journal.filter((entry) => entry.type === 'reply');
        return replies.slice(1).map(({ answer }) => answer);
      };

      it('is an answer at once', async () => {
        expect(await answersOf(diff)).toEqual([diff]);
      });

      it.each([
        'save_note: a',
        'Look: save-note, then a.ts.',
        'save\u200b_note\u00ad a.ts',
        '@saveNote(text: "a")',
        '**Action:** note',
        'save_note\n```\na\n```',
        'await tools.saveNote("a");',
        'Now tools.save_note, then a.ts.',
        'I use `functions.save_note` on it.',
        '```js\nawait tools.saveNote("a")\n```',
        'await client.saveNote("a")',
        'const note = await this.session.saveNote({ text: `a` });',
      ])('counts as one only if the model gives it again, if it names a tool: %s', async (text) => {
        expect(await answersOf(text, text)).toEqual([null, text]);
      });

      it.each([
        'I replaced `fs.saveNote(text)` by a stream.',
        'It calls fs.promises.saveNote now, and no longer fs.saveNote().',
        '```js\nawait fs.saveNote("a")\n```',
        'See src/save.note and store.save-notes.',
      ])('is an answer at once if it names what a library has: %s', async (text) => {
        expect(await answersOf(text)).toEqual([text]);
      });
    });
  });

  describe('that only announces work', () => {
    it.each([
      'I will now edit the file and run the tests.',
      'I’ve read `src/a.ts`. Next, I’ll correct the loop.',
      'Let me look at the code first.',
      "The cause is clear.\n\nLet's start with the parser!",
      'I am about to open a pull request.',
      'Running the tests now.',
      'Proceeding with the change.',
      'This is what I found so far:',
      '**Looking at the file…**',
      'Ich werde jetzt die Datei bearbeiten und die Tests ausführen.',
      'Als nächstes prüfe ich die Tests.',
      'Je vais maintenant modifier le fichier.',
      'Voy a editar el archivo.',
      'Vou editar o arquivo agora.',
      'Ora procedo con la modifica.',
      'Ik ga nu het bestand aanpassen.',
      'Сейчас я исправлю файл.',
      '我将修改文件并运行测试。',
      'これからファイルを編集します。',
      '이제 파일을 수정하겠습니다.',
    ])('counts as an answer only if the model gives it again: %s', async (text) => {
      const { end, journal, requests } = await run({ lines: [text, text], protocol: 'native' });
      const replies = journal.filter((entry) => entry.type === 'reply');
      expect(replies.map(({ answer }) => answer)).toEqual([null, text]);
      expect(JSON.stringify(requests[1]?.messages.at(-1))).toContain('announces work');
      expect(end).toEqual({ kind: 'finished' });
    });

    it('is asked for the work, also after files were changed, and each time anew', async () => {
      const edit = native(['note', { text: 'a' }]);
      const text = 'Now I will run the tests.';
      const lines = [edit, text, edit, text, 'Corrected, and the tests pass.'];
      const { journal } = await run({ lines, protocol: 'native' });
      const replies = journal.filter((entry) => entry.type === 'reply');
      expect(replies.map(({ answer }) => answer)).toEqual([null, null, null, null, lines.at(-1)]);
    });

    it('and may be a call in an unknown form is asked about once', async () => {
      const text = 'ls -la | grep "a"\n\nI will wait for the result:';
      const { journal } = await run({ lines: [text, text], protocol: 'native' });
      const replies = journal.filter((entry) => entry.type === 'reply');
      expect(replies.map(({ answer }) => answer)).toEqual([null, text]);
    });

    it.each([
      'The function returns 3 because the counter starts at 1.',
      'I corrected the parser and ran the tests. Let me know if you want more.',
      'This will be released with 2.0. You will see it after the next start.',
      'I will not change `src/a.ts`: it is generated. Nothing has to change now.',
      'Nothing has to change for now.',
      'Die Funktion wird beim Start aufgerufen.',
      'J’ai corrigé le fichier.',
      'He corregido el archivo.',
      'Я исправил файл.',
      'ファイルを編集しました。この関数は3を返します。',
      '修改完成，测试通过。',
      '수정했습니다.',
      '- Corrected the loop\n- Added a test',
    ])('is no other answer: %s', async (text) => {
      const { journal } = await run({ lines: [text], protocol: 'native' });
      expect(journal.find(({ type }) => type === 'reply')).toMatchObject({ answer: text });
    });
  });

  it('that was cut is never acted on, and every call of it gets its answer', async () => {
    done.length = 0;
    const cut = { ...native(['note', { text: 'half a fi' }]), stop: 'cut' as const };
    const { requests } = await run({ lines: [cut, native(['end', {}])], protocol: 'native' });
    expect(done).toEqual([]);
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      role: 'results',
      results: [{ ok: false, output: expect.stringContaining('smaller parts') }],
    });
  });

  it('is asked for in text once the server turns out to support no tools, with the conversation so far', async () => {
    const lines = [
      native(['note', { text: 'a' }]),
      new ToolsUnsupported('no tools here'),
      say(['note', { text: 'b' }]),
      say(['end', {}]),
    ];
    const options = { lines, protocol: 'native', fallback: protocolNamed('json') } as const;
    const { end, journal, requests } = await run(options);
    expect(end).toEqual({ kind: 'finished' });
    expect(journal.map(({ type }) => type)).toContain('protocol_changed');
    expect(requests.map(({ tools }) => tools.length > 0)).toEqual([true, true, false, false]);
    expect(requests[2]?.system).toContain('"tool_calls"');
    expect(requests[2]?.messages[1]).toMatchObject({
      role: 'assistant',
      text: expect.stringContaining('"tool_name":"note"'),
      calls: [],
    });
  });

  it('fails with an explanation if the operator insists on it and the server does not support it', async () => {
    const broken = run({ lines: [new ToolsUnsupported('no')], protocol: 'native' });
    await expect(broken).rejects.toThrow(/PROTOCOL/);
  });
});
