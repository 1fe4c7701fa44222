# Attacks on limits. Those on memory make the kernel hold what no process shows, and stop by themselves once the
# machine has lost 1 GiB, so that a sandbox without limits does no harm.
import array, ctypes, mmap, os, socket, sys, time

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
BLOCK = bytes(65536)
MIB = 1 << 20
held = []


# Opened once: an attack may use up all the files that a process may open.
MEMINFO = os.open('/proc/meminfo', os.O_RDONLY)


def available():
    lines = os.pread(MEMINFO, 4096, 0).decode().splitlines()
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith('MemAvailable'))


BEFORE = available()


def go_on():
    return BEFORE - available() < 1024 * MIB


def multiply(times):
    for _ in range(times):
        if os.fork() == 0:
            break


def fill(writer):
    writer.setblocking(False)
    try:
        while True:
            writer.send(BLOCK)
    except BlockingIOError:
        pass


def socket_queues():
    while go_on():
        pair = socket.socketpair()
        held.append(pair)
        for end in pair:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8 * MIB)
            fill(end)


def sockets_in_flight():
    while go_on():
        carrier, other = socket.socketpair()
        held.append((carrier, other))
        for _ in range(20):
            writer, reader = socket.socketpair()
            fill(writer)
            rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [reader.fileno()]))
            carrier.sendmsg([b'x'], [rights])
            writer.close()
            reader.close()


def datagrams():
    while go_on():
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        held.append(receiver)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 * MIB)
        receiver.bind(('127.0.0.1', 0))
        sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        for _ in range(100):
            sender.sendto(BLOCK[:60000], receiver.getsockname())


def connections():
    listener = socket.create_server(('127.0.0.1', 0), backlog=1000)
    while go_on():
        pair = (socket.create_connection(listener.getsockname()), listener.accept()[0])
        held.append(pair)
        for end in pair:
            fill(end)


def pipes():
    multiply(40)
    while go_on():
        try:
            writer = os.pipe()[1]
        except OSError:
            time.sleep(10)  # It keeps what it has while the other processes go on.
            continue
        os.set_blocking(writer, False)
        try:
            os.write(writer, BLOCK)
        except BlockingIOError:
            pass


def page_tables():
    multiply(5)
    while go_on():
        at = libc.mmap(None, ctypes.c_size_t(1 << 30), 1, 0x4022, -1, 0)
        if at > 1 << 60:
            time.sleep(10)
        for offset in range(0, 1 << 30, 2 * MIB):
            ctypes.c_char.from_address(at + offset).value


def spliced_pages():
    while go_on():
        reader, writer = os.pipe()
        held.append(socket.socketpair())
        end = held[-1][0]
        end.setblocking(False)
        try:
            while True:
                os.write(writer, bytes(4096))
                os.splice(reader, end.fileno(), 1)
                os.read(reader, 4095)
        except BlockingIOError:
            pass
        os.close(reader)
        os.close(writer)


def large_pages():
    while go_on():
        _reader, writer = os.pipe()
        for _ in range(16):
            area = libc.mmap(None, ctypes.c_size_t(4 * MIB), 3, 0x22, -1, 0)
            large = (area + 2 * MIB - 1) & ~(2 * MIB - 1)
            libc.madvise(ctypes.c_void_p(large), ctypes.c_size_t(2 * MIB), 14)
            ctypes.memset(large, 1, 2 * MIB)
            libc.vmsplice(writer, (ctypes.c_size_t * 2)(large, 1), ctypes.c_size_t(1), 0)
            libc.munmap(ctypes.c_void_p(area), ctypes.c_size_t(4 * MIB))


def files():
    multiply(2)
    directory = str(os.getpid())
    os.mkdir(directory)
    for number in range(30_000):
        os.mknod(f'{directory}/{number}')


globals()[sys.argv[1]]()
print('was not stopped')
sys.stdout.flush()
time.sleep(1)
